"""Random valid configurations of IOS and IOS XE, and random damage to them."""

from random import Random

__all__ = ["configuration", "damaged"]

CODES = ("ef", "af41", "af42", "af31", "af21", "af11", "af12", "cs1", "cs3", "cs6", "default", "13")
#: Rates in kb/s of which every per cent is a whole number of kb/s, and Mb/s of `speed`.
RATES_KBPS = (2_000, 50_000, 300_000)
ACTIONS = (
    "transmit",
    "drop",
    "set-dscp-transmit af13",
    "set-prec-transmit 0",
    "set-cos-transmit 1",
)


def configuration(random: Random, classic: bool = False) -> str:
    """A text with class maps, one to three policies within one another, and an interface."""
    names = [f"C{i}" for i in range(random.randint(1, 5))]
    codes = random.sample(CODES, len(CODES))
    lines = []
    for name in names:
        lines += [f"class-map match-any {name}", *_matches(random, codes)]
    sites = [f"SITE{i}" for i in range(random.choice((0, 0, 1, 2)))]
    for site in sites:
        lines += [f"class-map match-all {site}", f" match access-group name {site}-HOSTS"]
    lines += _policy(random, "LEAVES", names, classic)
    outer = "LEAVES"
    if sites:
        outer = "SITES"
        lines += [f"policy-map {outer}"]
        for site in sites:
            lines += [f" class {site}", f"  shape average {random.choice(RATES_KBPS)}000"]
            share = f"  bandwidth remaining ratio {random.randint(1, 9)}"
            lines += [share] if not classic else ["  bandwidth 900"]
            lines += ["  service-policy LEAVES"]
    if random.random() < 0.4:
        lines += ["policy-map SHAPED", " class class-default"]
        lines += [f"  shape average {random.choice(RATES_KBPS)}000", f"  service-policy {outer}"]
        outer = "SHAPED"
    lines += ["interface GigabitEthernet0/0/1", f" speed {random.choice((10, 100, 1000))}"]
    if random.random() < 0.2:
        lines.append(f" tx-ring-limit {random.randint(1, 64)}")
    return "\n".join([*lines, f" service-policy output {outer}", ""])


def _matches(random: Random, codes: list[str]) -> list[str]:
    some = [codes.pop() for _ in range(random.randint(0, min(2, len(codes))))]
    lines = [f" match dscp {' '.join(some)}"] if some else []
    if random.random() < 0.2:
        lines.append(f" match access-group name LIST{random.randint(0, 9)}")
    if random.random() < 0.2:
        lines.append(f" match cos {random.randint(0, 7)}")
    return lines


def _policy(random: Random, policy: str, names: list[str], classic: bool) -> list[str]:
    lines = [f"policy-map {policy}"]
    for i, name in enumerate(names):
        lines.append(f" class {name}")
        if i == 0 and random.random() < 0.6:
            lines += _first(random, classic)
            continue
        if classic or random.random() < 0.5:
            rate = random.choice(("percent 1", "percent 7", "300", "10000"))
            lines.append(f"  bandwidth {rate}")
        if not classic and random.random() < 0.5:
            lines.append(f"  bandwidth remaining ratio {random.randint(1, 99)}")
        if random.random() < 0.3:
            burst = random.choice(("", " 40000 8000", f" {random.randint(2000, 9000) * 8}"))
            lines.append(f"  shape average {random.randint(64, 90_000)}000{burst}")
        if random.random() < 0.3:
            lines.append(_police(random))
        lines += _memory(random)
    if random.random() < 0.6:
        lines.append(" class class-default")
        lines += ["  bandwidth 1000"] if classic else []
        lines += _memory(random)
    elif classic:
        lines += [" class class-default", "  bandwidth 500"]
    return lines


def _first(random: Random, classic: bool) -> list[str]:
    level = "" if classic or random.random() < 0.6 else " level 2"
    rate = random.choice(("", " percent 10", " 640", f" 1000 {random.randint(2000, 90_000)}"))
    limit = random.choice(("", "  queue-limit 30 packets", "  queue-limit 9000 bytes"))
    return [f"  priority{level}{rate}", *([limit] if limit else [])]


def _police(random: Random) -> str:
    text = f"  police cir {random.randint(8, 90_000)}000"
    text += random.choice(("", f" bc {random.randint(1500, 90_000)}"))
    if random.random() < 0.4:
        text += " pir 90000000" + random.choice(("", " be 33333"))
    conform, exceed, violate = (random.choice(ACTIONS) for _ in range(3))
    text += f" conform-action {conform} exceed-action {exceed}"
    return text + (f" violate-action {violate}" if random.random() < 0.5 else "")


def _memory(random: Random) -> list[str]:
    """A limit, and thresholds in its unit."""
    unit = random.choice(("", "packets", "bytes"))
    lines = [f"  queue-limit {random.randint(20, 9000)} {unit}"] if unit else []
    if unit == "packets" and random.random() < 0.3:
        lines.append(f"  queue-limit dscp af12 {random.randint(1, 20)}")
    if random.random() < 0.5:
        based = random.choice(("", " dscp-based"))
        lines.append(f"  random-detect{based}")
        behind = " bytes" if unit == "bytes" else ""
        low = random.randint(1, 40)
        row = f"{low}{behind} {low + random.randint(0, 90)}{behind} {random.randint(1, 99)}"
        value = random.choice(("af41", "46", "cs1", "default")) if based else random.randint(0, 7)
        lines.append(f"  random-detect {'dscp' if based else 'precedence'} {value} {row}")
        lines += random.choice(([], ["  random-detect ecn"]))
        lines += random.choice(([], ["  random-detect exponential-weighting-constant 4"]))
    return lines


WORDS = (
    "0",
    "-1",
    "1e30",
    "9" * 400,
    "percent",
    "300%",
    "\u202e",
    "ms",
    "bytes",
    "",
    "priority",
    "x",
)


def damaged(text: str, random: Random) -> str:
    """A text with lines or words replaced, left out, repeated or moved, or cut short."""
    lines = text.split("\n")
    for _ in range(random.choice((1, 1, 2, 5))):
        at, other = random.randrange(len(lines)), random.randrange(len(lines))
        kind = random.randrange(8)
        if kind == 0:
            lines[at:at] = [lines[other]] * random.choice((1, 3))
        elif kind == 1:
            lines[at], lines[other] = lines[other], lines[at]
        elif kind == 2:
            lines[at] = lines[at].lstrip() if random.random() < 0.5 else f"    {lines[at]}"
        elif kind == 3:
            lines[at:] = [lines[at][: random.randint(0, 12)]]
        elif kind == 4:
            del lines[at]
        else:
            words = lines[at].split(" ")
            words[random.randrange(len(words))] = random.choice(WORDS)
            lines[at] = " ".join(words)
        lines = lines or [""]
    return "\n".join(lines)
