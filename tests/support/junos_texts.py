"""Random valid configurations of Junos, and random damage to them."""

from random import Random

__all__ = ["configuration", "damaged"]

CODES = (
    "ef",
    "af41",
    "af42",
    "af43",
    "af31",
    "af21",
    "101010",
    "cs1",
    "cs3",
    "cs6",
    "000000",
    "be",
)
LOSSES = ("low", "medium-low", "medium-high", "high")
PRIORITIES = ("low", "medium-low", "medium-high", "high", "strict-high")
PLATFORMS = ("", "", "", "m120", "srx", "mpc")
JUNK = ("{", "}", ";", "[", '"', "-1", "0", "1e99", "9" * 400, "é\x00", "%", "* ", "inactive:")


def configuration(random: Random) -> tuple[str, dict[str, float | str]]:
    """A text in braces or `set` lines, and the facts that it needs."""
    classes = random.sample([f"C{i}" for i in range(20)], random.randint(1, 6))
    lines = [f"forwarding-classes class {name} queue-num {i}" for i, name in enumerate(classes)]
    if random.random() < 0.7:
        lines += _classifiers(random, classes)
    strict = random.choice((None, None, *classes))
    for name in classes:
        lines += _scheduler(random, f"S-{name}", name == strict)
    lines += _profiles(random)
    interface = random.choice(("ge-0/0/1", "xe-0/1/0", "fe-0/0/0"))
    shape = random.choice(("flat", "flat", "units", "sets"))
    lines += _sites(random, interface, classes, shape)
    lines = [f"class-of-service {line}" for line in lines]
    if random.random() < 0.3:
        lines.append(f"interfaces {interface} speed {random.choice(('100m', '1g', '25g'))}")
    if shape == "flat" and random.random() < 0.4:
        lines += _policer(random, interface, random.choice(classes))
    if random.random() < 0.3:
        random.shuffle(lines)
    facts: dict[str, float | str] = {"platform": random.choice(PLATFORMS)}
    facts[random.choice(("buffer_bytes", "delay_buffer_s"))] = 1.0
    facts = {name: _fact(random, name, value) for name, value in facts.items()}
    if facts["platform"] == "m120":
        facts["delay_buffer_s"] = 0.1
    return (_braces if random.random() < 0.5 else _set)(lines), facts


def _fact(random: Random, name: str, value: float | str) -> float | str:
    if name == "buffer_bytes":
        return float(random.randint(10**5, 10**8))
    return random.choice((0.001, 0.025, 0.1, 0.2)) if name == "delay_buffer_s" else value


def _classifiers(random: Random, classes: list[str]) -> list[str]:
    codes = random.sample(CODES, random.randint(1, len(CODES) - 2))
    of = {code: (random.choice(classes), random.choice(LOSSES)) for code in codes}
    lines = [
        f"classifiers dscp D forwarding-class {name} loss-priority {loss} code-points {code}"
        for code, (name, loss) in of.items()
    ]
    if random.random() < 0.3:
        lines += [
            f"classifiers ieee-802.1 E forwarding-class {random.choice(classes)}"
            f" loss-priority low code-points {i:03b}"
            for i in random.sample(range(8), 3)
        ]
    return lines


def _percent(random: Random) -> str:
    return random.choice((str(random.randint(0, 60)), f"{random.uniform(0, 50):.2f}"))


def _rate(random: Random) -> str:
    amount = random.choice(("percent 5", "percent 33", "10m", "1500k", "12345678", "2.5m"))
    return amount + random.choice(("", "", f" burst-size {random.choice(('5k', '30000', '1m'))}"))


def _scheduler(random: Random, name: str, strict: bool) -> list[str]:
    said = []
    if random.random() < 0.9:
        said.append("transmit-rate " + random.choice((
            f"percent {_percent(random)}", "2m", "3333333", "remainder",
            f"percent {random.randint(1, 30)} exact", f"percent {random.randint(1, 30)} rate-limit",
        )))  # fmt: skip
    if random.random() < 0.9:
        said.append("buffer-size " + random.choice((
            f"percent {_percent(random)}", "remainder", "temporal 5k", "temporal 250",
        )))  # fmt: skip
    if random.random() < 0.2:
        said.append(f"shaping-rate {_rate(random)}")
    if random.random() < 0.1 and not strict:
        said.append(f"excess-rate percent {random.randint(0, 99)}")
    if random.random() < 0.1 and not strict:
        said.append(f"excess-priority {random.choice(PRIORITIES[:4])}")
    priority = "strict-high" if strict else random.choice(PRIORITIES[:4])
    said.append(f"priority {random.choice(('low-latency', priority)) if strict else priority}")
    if random.random() < 0.4:
        losses = random.choice((("any",), ("low", "high"), LOSSES))
        shape = random.choice(("steps", "lines"))
        said += [
            f"drop-profile-map loss-priority {loss} protocol any"
            f" drop-profile {shape}{random.randint(1, 3)}"
            for loss in losses
        ]
        if random.random() < 0.3:
            said.append("explicit-congestion-notification")
    return [f"schedulers {name} {each}" for each in said]


def _profiles(random: Random) -> list[str]:
    lines = []
    for i in range(1, 4):
        levels = sorted(random.sample(range(5, 99), 2))
        chances = sorted(random.choices(range(101), k=2))
        for level, chance in zip(levels, chances, strict=True):
            lines.append(f"drop-profiles steps{i} fill-level {level} drop-probability {chance}")
        lines += [f"drop-profiles lines{i} interpolate fill-level [ {levels[0]} {levels[1]} ]"]
        lines += [
            f"drop-profiles lines{i} interpolate drop-probability [ {chances[0]} {chances[1]} ]"
        ]
    return lines


def _map(name: str, classes: list[str]) -> list[str]:
    return [f"scheduler-maps {name} forwarding-class {of} scheduler S-{of}" for of in classes]


def _sites(random: Random, interface: str, classes: list[str], shape: str) -> list[str]:
    where = f"interfaces {interface}"
    lines = (
        [f"{where} shaping-rate {random.choice(('90m', '50m'))}"] if random.random() < 0.3 else []
    )
    if shape == "flat":
        return [*lines, *_map("M", classes), f"{where} scheduler-map M"]
    if shape == "units":
        places = {f"{where} unit {i}": classes for i in range(random.randint(1, 3))}
    else:
        places = {f"{where} forwarding-class-set F{i}": [of] for i, of in enumerate(classes)}
        for i, of in enumerate(classes):
            lines.append(f"forwarding-class-sets F{i} class {of}")
    for i, (place, own) in enumerate(places.items()):
        lines += [*_map(f"M{i}", own), f"traffic-control-profiles T{i} scheduler-map M{i}"]
        for word in ("shaping-rate", "guaranteed-rate"):
            if random.random() < 0.6:
                lines.append(f"traffic-control-profiles T{i} {word} {_rate(random)}")
        if random.random() < 0.3:
            lines.append(
                f"traffic-control-profiles T{i} excess-rate percent {random.randint(1, 99)}"
            )
        lines.append(f"{place} output-traffic-control-profile T{i}")
    return lines


def _policer(random: Random, interface: str, of: str) -> list[str]:
    lines = [
        f"interfaces {interface} unit 0 family inet filter output OUT",
        f"firewall family inet filter OUT term t then forwarding-class {of}",
    ]
    burst = f"burst-size {random.choice(('15k', '625000', '2m'))}"
    if random.random() < 0.5:
        action = random.choice(("discard", "loss-priority high"))
        own = "firewall policer P"
        return [
            *lines,
            "firewall family inet filter OUT term t then policer P",
            f"{own} if-exceeding bandwidth-limit 10m",
            f"{own} if-exceeding {burst.replace('size', 'size-limit')}",
            f"{own} then {action}",
        ]
    kind, more = random.choice((
        ("single-rate", ("excess-burst-size 99k",)),
        ("two-rate", ("peak-information-rate 20m", "peak-burst-size 50k")),
    ))  # fmt: skip
    own = "firewall three-color-policer P"
    return [
        *lines,
        f"firewall family inet filter OUT term t then three-color-policer {kind} P",
        f"{own} {kind} color-{random.choice(('aware', 'blind'))}",
        f"{own} {kind} committed-information-rate 3m",
        f"{own} {kind} committed-{burst}",
        *(f"{own} {kind} {each}" for each in more),
        *random.choice(((), (f"{own} action loss-priority high then discard",))),
    ]


def _set(lines: list[str]) -> str:
    return "\n".join([*(f"set {line}" for line in lines), ""])


def _braces(lines: list[str]) -> str:
    """Two words above each statement, as few braces as that takes."""
    text = []
    for line in lines:
        first, second, rest = line.split(" ", 2)
        text += [f"{first} {{", f"    {second} {{ {rest}; }}", "}"]
    return "\n".join([*text, ""])


def damaged(text: str, random: Random) -> str:
    """A text with words or characters lost, repeated, changed or put in."""
    for _ in range(random.choice((1, 1, 2, 5))):
        words = text.split(" ")
        i, j = sorted(random.choices(range(len(words) + 1), k=2))
        at = random.randrange(len(text) + 1)
        way = random.randrange(6)
        if way == 0:
            text = " ".join(words[:i] + words[i + 1 :])
        elif way == 1:
            text = " ".join([*words[:i], random.choice((*JUNK, *words)), *words[i + 1 :]])
        elif way == 2:
            text = " ".join(words[:j] + words[i:])
        elif way == 3:
            text = text[:at] + random.choice(JUNK) + text[at:]
        elif way == 4:
            text = text[:at] + text[at + random.randint(1, 40) :]
        else:
            lines = text.split("\n")
            random.shuffle(lines)
            text = "\n".join(lines)
    return text
