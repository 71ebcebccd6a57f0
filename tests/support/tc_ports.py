"""Random ports that tc has words for, and random damage to the text that they are."""

from random import Random

from damage import DIGITS
from qoslib.platforms.trees import htb
from qoslib.port import (
    ByteLimit,
    ByteRedProfile,
    Classifier,
    Codel,
    DeficitRoundRobin,
    Ewma,
    Fifo,
    FlowQueues,
    HeadDrop,
    HierarchicalTokenBucket,
    Node,
    PacketLimit,
    Pie,
    Policer,
    Port,
    Queue,
    Red,
    Shaper,
    StartTimeFairQueueing,
    StrictPriority,
    TailDrop,
)

NAMES = ("voice", "video", 'the office\'s "bulk"', "1:20", "CS 1", "naïve", "1:3", "rest")
MARKS = ("EF", "AF41", "AF12", "CS6", "CS0", "DSCP 4", "PCP 5", "fwmark 7", "web", "two words")
WORDS = (
    *("1:10", "1:", "ffff:", "root", "parent", "htb", "prio", "rate", "ceil", "limit", "police"),
    *("u32", "match", "flowid", "0xb8", "10mbit", "0bit", "9tbit", "latency", "tbf", "netem"),
    *("cake", "$X", "${DEV}", "`x`", "$(", ";", "&&", "|", "{", "}", "for", "done", '"', "'", "#"),
    *(
        "tc qdisc del dev eth0 root",
        "\n",
        "\\\n",
        "\t",
        "é",
        "100%",
        "-1",
        "9" * 50,
        "[{",
        "change",
    ),
)


def rate(random: Random) -> float:
    """Whole bytes per second, small and large."""
    return float(8 * random.randint(1, 10 ** random.randint(2, 9)))


def held(random: Random) -> dict:
    """Limit and dropper of a queue."""
    packets = PacketLimit(random.randint(1, 20_000))
    size = ByteLimit(random.randint(30_000, 10**7))
    low = random.randint(5_000, 40_000)
    profile = ByteRedProfile(low, low + random.randint(1, 60_000), random.choice([0.02, 0.1, 1.0]))
    red = Red(profile, averaging=Ewma(random.randint(1, 9)), ecn=random.random() < 0.5)
    micro = random.choice([1, 999, 5_000, 123_457])
    codel = Codel(
        float(f"{micro}e-6"), 0.1, random.random() < 0.5, random.choice([None, 0.0, 0.002])
    )
    pie = Pie(0.02, 0.03, random.randint(1, 32) / 16, random.randint(1, 32) / 16)
    limit, dropper, flows = random.choice(
        [
            (packets, TailDrop(), None),
            (packets, HeadDrop(), None),
            (packets, TailDrop(), served_in_turn(random)),
            (size, TailDrop(), None),
            (size, red, None),
            (packets, pie.replace(ecn=random.random() < 0.5), None),
            (packets, codel, None),
            (packets, codel, FlowQueues(random.randint(1, 4096), random.randint(256, 9000))),
        ]
    )
    return {"limit": limit, "dropper": dropper, "flows": flows}


def served_in_turn(random: Random) -> FlowQueues:
    """What sfq or fq makes of flows."""
    flows = FlowQueues(
        2 ** random.randint(0, 12),
        random.randint(256, 9000),
        overflow="arriving",
        drop_at="tail",
        flow_limit=PacketLimit(random.randint(1, 127)),
    )
    if random.random() < 0.5:
        return flows
    end, period_s = random.choice(["head", "tail"]), random.choice([None, 10.0])
    return flows.replace(sparse_first=False, overflow="longest", drop_at=end, rehash_s=period_s)


def bucket(random: Random) -> Shaper:
    return Shaper(rate(random), random.randint(1600, 10**6))


def port(random: Random) -> Port:
    """A port with any of the schedulers of tc."""
    names = random.sample(NAMES, random.randint(1, 5))
    make = random.choice([fifo, priorities, rounds, tree, tree])
    made = make(random, names if make is not priorities else (*names, "last"))
    more = {"base_delay_s": 0.001} if random.random() < 0.2 else {}
    more |= {"transmit_ring_packets": 4} if random.random() < 0.2 else {}
    more |= {"overhead_bytes": random.choice([20.0, 24.0, 9.5])} if random.random() < 0.5 else {}
    more |= {"shaper": bucket(random)} if random.random() < 0.3 else {}
    return made.replace(**more)


def fifo(random: Random, names) -> Port:
    return Port("eth0", rate(random), (Queue(names[0], **held(random)),), Fifo())


def sorted_to(random: Random, names, every: bool = True) -> Classifier:
    marks = random.sample(MARKS, random.randint(0, 5))
    rules = tuple((mark, random.choice(names)) for mark in marks)
    return Classifier(rules, random.choice(names if every else (*names, "")))


def metered(random: Random, queues, classifier: Classifier):
    """Some of the queues that packets are sent to have a policer."""
    reached = {queue for _, queue in classifier.rules} | {classifier.default}
    return tuple(
        queue.replace(policer=Policer(rate(random), random.randint(1600, 10**6)))
        if queue.name in reached and random.random() < 0.3
        else queue
        for queue in queues
    )


def leaf(random: Random, name: str, **more) -> Queue:
    shaper = bucket(random) if random.random() < 0.2 else None
    return Queue(name, shaper=shaper, **held(random), **more)


def priorities(random: Random, names) -> Port:
    queues = [leaf(random, name, priority=level) for level, name in enumerate(names)]
    classifier = sorted_to(random, names, every=False)
    whole = metered(random, queues, classifier)
    return Port("access 7", rate(random), whole, StrictPriority(), classifier=classifier)


def rounds(random: Random, names) -> Port:
    names = (*names, "one more")
    fair = random.random() < 0.5
    queues = [
        leaf(random, name, weight=random.randint(1, 1023))
        if fair
        else leaf(random, name, quantum_bytes=random.randint(1, 10**5))
        for name in names
    ]
    scheduler = StartTimeFairQueueing() if fair else DeficitRoundRobin()
    classifier = sorted_to(random, names, every=False)
    whole = metered(random, queues, classifier)
    return Port("eth0", rate(random), whole, scheduler, classifier=classifier)


def rates(random: Random) -> dict:
    return {
        "rate_bps": rate(random),
        "ceil_bps": rate(random),
        "burst_bytes": random.randint(1, 10**6),
        "cburst_bytes": random.randint(1, 10**6),
    }


def tree(random: Random, names) -> Port:
    """Classes of htb below up to three inner ones, or below htb itself."""
    queues = [
        htb(
            Queue(name, **held(random)),
            prio=random.randint(0, 7),
            quantum_bytes=random.randint(1, 10**5),
            **rates(random),
        )
        for name in names
    ]
    top = random.choice(["free", "root"])
    groups: dict[str, list[str]] = {top: []}
    inner = [f"group {n}" for n in range(min(random.randint(0, 2), len(names) - 1))]
    for place, name in enumerate(names):
        home = inner[place] if place < len(inner) else random.choice([top, *inner])
        groups.setdefault(home, []).append(name)
    nodes = []
    for name, children in groups.items():
        whole = (*children, *inner) if name == top else tuple(children)
        node = Node(name, whole)
        alone = len(whole) == 1 and whole[0] in inner
        free = name == "free" and not alone
        nodes.append(node if free else htb(node, **rates(random)))
    classifier = sorted_to(random, names, every=False)
    whole = metered(random, queues, classifier)
    return Port(
        "eth0", rate(random), whole, HierarchicalTokenBucket(tuple(nodes)), classifier=classifier
    )


def damaged(text: str, random: Random) -> str:
    """Words left out, put in, changed, doubled or moved, or a part cut off."""
    for _ in range(random.choice((1, 1, 2, 5, 20))):
        words = text.split(" ")
        place = random.randrange(len(words))
        what = random.random()
        if what < 0.3:
            words[place] = random.choice((*WORDS, *DIGITS))
        elif what < 0.5:
            words.insert(place, random.choice((*WORDS, *DIGITS)))
        elif what < 0.7:
            del words[place]
        elif what < 0.9:
            words.insert(place, random.choice(words))
        else:
            words = words[: place + 1]
        text = " ".join(words)
    return text
