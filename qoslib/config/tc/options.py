"""The options of each kind of qdisc, class and policer: one table for readers and writers."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from qoslib.config.defaults import default
from qoslib.config.source import ConfigurationError
from qoslib.config.tc.amounts import count, rate_bps, rate_word, size_bytes, time_s, time_word
from qoslib.config.tc.command import Command
from qoslib.config.values import Value

__all__ = [
    "KINDS",
    "LARGEST",
    "UNMODELLED",
    "Option",
    "Options",
    "by_default",
    "left_out",
    "options_of",
    "take_options",
    "words_of",
]

LARGEST = 2**32 - 1
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d{1,9})?)%")


class Option(NamedTuple):
    """An option of a kind."""

    #: Of `SORTS`: its unit, and how it is read and written. A ``flag`` has no value, ``words`` and
    #: ``netem`` take all that are left that are numbers, and a ``netem`` takes at least one.
    sort: str
    #: The row of ``defaults.toml`` that holds where a command leaves it out.
    default: str = ""
    #: What is lost with it, as no port says it.
    lost: str = ""
    #: Values with which nothing is lost all the same.
    harmless: tuple[Any, ...] = ()


def _kind(**sorts: str) -> dict[str, Option]:
    """Options by their sorts: ``rate="rate ceil"``."""
    return {
        word: Option(sort.replace("_", " "))
        for sort, words in sorts.items()
        for word in words.split()
    }


_FRAMES = {
    "overhead": Option("count"),
    "mpu": Option("size", "", "A short frame counts with its own size here, not with mpu.", (0,)),
    "linklayer": Option("word", "", "Frames are not cut into cells here.", ("ethernet", "unaware")),
}
_CODEL = {
    "target": Option("time", "codel_target"),
    "interval": Option("time", "codel_interval"),
    **_kind(time="ce_threshold", flag="ecn noecn"),
}
_MEMORY = "memory_limit, which counts all that the kernel holds of a packet, is left out."
_BANDS = {"bands": Option("count", "prio_bands"), "priomap": Option("words")}
#: What else netem does, in the order in which it is listed.
_NETEM_LOST = {
    "loss": "loss at random",
    "drop": "loss at random",
    "corrupt": "bit errors",
    "duplicate": "packets sent twice",
    "reorder": "packets that overtake",
    "slot": "packets held for slots",
}
_POLICE_LOST = {
    "mtu": "size", "peakrate": "rate", "avrate": "rate", "pkts_rate": "count",
    "pkts_burst": "count", "linklayer": "word", "mpu": "size",
}  # fmt: skip
#: Thing and kind -> option -> what it is.
KINDS: Mapping[tuple[str, str], Mapping[str, Option]] = {
    ("qdisc", "htb"): _kind(
        hex="default", count="r2q direct_qlen direct_packets_stat", word="debug ver", flag="offload"
    ),
    ("class", "htb"): {
        **_kind(rate_or_share="rate ceil", size="burst cburst", count="prio quantum mtu level"),
        **_FRAMES,
    },
    ("qdisc", "tbf"): {
        **_kind(rate_or_share="rate", size="burst limit mtu", time="latency"),
        "peakrate": Option(
            "rate or share", lost="Without peakrate a burst leaves at the line rate here."
        ),
        **_FRAMES,
    },
    ("qdisc", "prio"): _BANDS | _kind(flag="multiqueue"),
    ("qdisc", "pfifo_fast"): _BANDS,
    ("qdisc", "pfifo"): _kind(packets="limit"),
    ("qdisc", "bfifo"): {"limit": Option("size", "bfifo_limit")},
    ("qdisc", "pfifo_head_drop"): _kind(packets="limit"),
    ("qdisc", "codel"): {"limit": Option("count", "codel_limit"), **_CODEL},
    ("qdisc", "fq_codel"): {
        "limit": Option("count", "fq_codel_limit"),
        **_CODEL,
        "flows": Option("count", "fq_codel_flows"),
        "quantum": Option("size", "flow_quantum"),
        "drop_batch": Option("count", "fq_codel_drop_batch"),
        "memory_limit": Option("size", "", _MEMORY, (32 * 2**20,)),
        **_kind(word="ce_threshold_selector ce_threshold_mask"),
    },
    ("qdisc", "pie"): {
        "limit": Option("count", "pie_limit"),
        "target": Option("time", "pie_target"),
        "tupdate": Option("time", "pie_tupdate"),
        "alpha": Option("count", "pie_alpha"),
        "beta": Option("count", "pie_beta"),
        "bytemode": Option("flag", lost="Without bytemode small packets are dropped as often."),
        **_kind(flag="ecn noecn nobytemode dq_rate_estimator no_dq_rate_estimator"),
    },
    ("qdisc", "red"): {
        **_kind(size="limit min max avpkt", count="burst ewma Plog Scell_log"),
        "probability": Option("share", "red_probability"),
        **_kind(rate_or_share="bandwidth", flag="ecn harddrop", word="qevent block"),
        "adaptive": Option(
            "flag", lost="The probability stays as it is here, in place of adaptive."
        ),
        "nodrop": Option(
            "flag",
            lost="A packet that cannot be marked is dropped here, in spite of nodrop.",
        ),
    },
    ("qdisc", "sfq"): {
        "limit": Option("count", "sfq_limit"),
        "quantum": Option("size", "flow_quantum"),
        "divisor": Option("count", "sfq_divisor"),
        "depth": Option("count", "sfq_depth"),
        "perturb": Option("seconds"),
        "redflowlimit": Option("size", lost="Flows have no RED here."),
        **_kind(count="flows drop_batch burst", size="min max avpkt"),
        **_kind(word="probability ewma", flag="headdrop ecn harddrop"),
    },
    ("qdisc", "fq"): {
        "limit": Option("packets", "fq_limit"),
        "flow_limit": Option("packets", "fq_flow_limit"),
        "buckets": Option("count", "fq_buckets"),
        "quantum": Option("size", "fq_quantum"),
        "ce_threshold": Option("word", lost="No packet is marked here, in spite of ce_threshold."),
        "bands": Option(
            "word", lost="Flows of all priorities are served alike here, not in bands."
        ),
        **_kind(
            word="initial_quantum maxrate low_rate_threshold orphan_mask refill_delay timer_slack"
            " horizon offload_horizon",
            words="weights priomap",
            flag="pacing nopacing horizon_drop horizon_cap",
        ),
    },
    ("qdisc", "netem"): {
        "limit": Option("packets", "netem_limit"),
        **_kind(netem="delay latency rate"),
        **{word: Option("netem", lost=f"Left out: {what}.") for word, what in _NETEM_LOST.items()},
        "distribution": Option("word", lost="Left out: how the delay varies."),
        **_kind(word="gap seed packets bytes", flag="ecn"),
    },
    ("qdisc", "drr"): {},
    ("class", "drr"): {"quantum": Option("size", "drr_quantum")},
    ("qdisc", "qfq"): {},
    ("class", "qfq"): {"weight": Option("count", "qfq_weight"), "maxpkt": Option("count")},
    ("qdisc", "dualpi2"): {
        "limit": Option("count", "dualpi2_limit"),
        "memlimit": Option("size", lost="memlimit is left out: limit alone counts."),
        "target": Option("time", "pie_target"),
        "tupdate": Option("time", "dualpi2_tupdate"),
        "alpha": Option("number", "dualpi2_alpha"),
        "beta": Option("number", "dualpi2_beta"),
        "coupling_factor": Option("count", "dualpi2_coupling"),
        "step_thresh": Option("time", "dualpi2_step"),
        "classic_protection": Option("count", "dualpi2_protection"),
        "min_qlen_step": Option("count", "", "The step marks from the first packet on here.", (0,)),
        "overflow": Option("flag", lost="Overload drops packets of both queues here."),
        "drop_enqueue": Option("flag", lost="Packets are dropped as they leave here."),
        "any_ect": Option("flag", lost="Only packets with ECT(1) wait in the L queue here."),
        **_kind(time="max_rtt typical_rtt", flag="drop_on_overload drop_dequeue l4s_ect"),
        **_kind(flag="split_gso no_split_gso"),
    },
    ("qdisc", "cake"): {
        **_kind(rate="bandwidth", time="rtt", size="memlimit", signed="overhead"),
        "mpu": Option("count", lost="A short frame counts with its own size here, not with mpu."),
        "fwmark": Option("word", "", "Marks of a firewall choose no tin here.", ("0", "0x0")),
        "ingress": Option("flag", lost="What CAKE drops takes none of its rate here."),
        **dict.fromkeys(
            ("ack-filter", "ack-filter-aggressive"), Option("flag", lost="No ACK is dropped here.")
        ),
        **dict.fromkeys(
            ("hosts", "srchost", "dsthost", "flowblind"),
            Option("flag", lost="Each flow has a queue of its own here."),
        ),
        **_kind(
            flag="unlimited autorate-ingress nat nonat wash nowash split-gso no-split-gso raw"
            " no-ack-filter egress atm noatm ptm via-ethernet besteffort precedence diffserv"
            " diffserv3 diffserv4 diffserv8 flows triple-isolate dual-srchost dual-dsthost"
            " datacentre lan metro regional internet oceanic satellite interplanetary"
            " conservative ethernet ether-vlan docsis pppoe-ptm bridged-ptm ipoa-vcmux"
            " ipoa-llcsnap bridged-vcmux bridged-llcsnap pppoa-vcmux pppoa-llc pppoe-vcmux"
            " pppoe-llcsnap"
        ),
    },
    ("qdisc", "mq"): {},
    ("qdisc", "mqprio"): _kind(
        count="num_tc", words="map queues min_rate max_rate fp", word="hw mode shaper"
    ),
    ("qdisc", "ingress"): {},
    ("qdisc", "clsact"): {},
    ("qdisc", "noqueue"): {},
    ("link", "txqueuelen"): _kind(count="packets"),
    ("action", "police"): {
        **_kind(rate="rate", size="burst", count="overhead index", word="conform-exceed"),
        **{
            word: Option(
                sort, lost=f"The policer's {word} is left out: it may drop more than the port does."
            )
            for word, sort in _POLICE_LOST.items()
        },
    },
}
#: Qdiscs without a model -> what a port without them lacks.
UNMODELLED = {
    "hfsc": "its service curves, which give delay and rate apart from each other",
    "cbq": "its estimator of idle time and its borrowing",
    "taprio": "gates that open by a schedule",
    "etf": "packets that leave at the time they ask for",
    "cbs": "the credit of IEEE 802.1Qav",
    "ets": "strict bands before bands that share by quanta",
    "fq_pie": "dropping by the estimated delay, in a queue for each flow",
    "sfb": "fair dropping by bins",
    "choke": "dropping in pairs",
    "gred": "RED by virtual queues",
    "hhf": "heavy hitters in a queue of their own",
    "multiq": "one band for each transmit ring",
    "dsmark": "new DSCPs for packets that leave",
    "plug": "packets that wait until they are released",
    **dict.fromkeys(("teql", "teql0", "teql1"), "a link made of several"),
    "blackhole": "all packets, which it drops",
    "noop": "all packets, which it drops",
    "skbprio": "dropping the lowest priority first",
    "atm": "queues for virtual circuits",
    "bpf": "what a program of its own decides",
}
_ALIASES = {"buffer": "burst", "maxburst": "burst", "cbuffer": "cburst", "cmaxburst": "cburst"}
_ALIASES |= {"minburst": "mtu", "lat": "latency", "adaptative": "adaptive"}


class Sort(NamedTuple):
    """A sort of values: the unit, and how a word becomes a value and a value a word."""

    unit: str
    read: Callable[[str, int], Any]
    write: Callable[[Any], str]


def _whole(number: float) -> str:
    return str(min(int(number), LARGEST))


def _share(text: str, line: int) -> float:
    found = re.fullmatch(r"\d{0,3}(\.\d{1,12})?(e-\d{1,2})?", text)
    if not found or not text or not re.match(r"\.?\d", text) or float(text) > 1:
        raise ConfigurationError(f"{text[:40]!r} is no probability from 0 to 1", line)
    return float(text)


def _seconds(text: str, line: int) -> int:
    """Whole seconds, which `tc` shows as ``10sec``."""
    return count(text.removesuffix("sec"), line)


def _number(text: str, line: int) -> float:
    if not re.fullmatch(r"\d{1,3}(\.\d{0,9})?|\.\d{1,9}", text):
        raise ConfigurationError(f"{text[:40]!r} is no number from 0 to 999", line)
    return float(text)


def _signed(text: str, line: int) -> int:
    """A whole number that may be below 0."""
    return -count(text[1:], line) if text.startswith("-") else count(text, line)


_RATE = Sort("bit/s", rate_bps, rate_word)
SORTS: Mapping[str, Sort] = {
    "rate": _RATE,
    "rate or share": _RATE,
    "size": Sort("B", lambda text, line: size_bytes(text.partition("/")[0], line), _whole),
    "time": Sort("s", time_s, time_word),
    "number": Sort("", _number, "{:g}".format),
    "signed": Sort("", _signed, _whole),
    "seconds": Sort("s", _seconds, _whole),
    "count": Sort("", count, _whole),
    "packets": Sort(
        "packets", lambda text, line: size_bytes(text.lower().removesuffix("p"), line), _whole
    ),
    "hex": Sort("", partial(count, base=16), "{:x}".format),
    "share": Sort("1", _share, lambda share: f"{share:.12f}".rstrip("0").rstrip(".")),
    "word": Sort("", lambda text, line: text, str),
    "words": Sort("", lambda text, line: text, lambda words: " ".join(map(str, words))),
}


class Options(dict[str, Value]):
    """The options that a command gives, by their names."""

    def __init__(self, kind: Mapping[str, Option]) -> None:
        super().__init__()
        self.kind = kind

    def said(self, name: str) -> Value | None:
        """What is given, unless it is 0, which often asks for the default."""
        given = self.get(name)
        return given if given is not None and given.value else None

    def default(self, name: str) -> Value:
        """What holds where a command leaves an option out."""
        return by_default(self.kind[name].default)

    def given(self, name: str) -> Value:
        """What is given, else what holds by default."""
        return self.get(name) or self.default(name)

    def lost(self) -> list[str]:
        """What of these options no port says."""
        return [
            option.lost
            for name, option in self.kind.items()
            if option.lost and name in self and self[name].value not in option.harmless
        ]


def by_default(name: str, value: Any = None) -> Value:
    """A default of ``defaults.toml``, with another value where it is worked out of others.

    >>> by_default("codel_target").value
    0.005
    """
    row = default(f"tc.{name}")
    return Value(row.value if value is None else value, row.unit, default=row.name)


def left_out(word: str) -> str:
    """What is lost by a word that tc does not have, and all behind it."""
    return f"From {word[:40]!r} on this is not understood, and left out."


def options_of(command: Command, line_rate: Value | None = None) -> tuple[Options, list[str]]:
    """The options of a command, and the words from the first unknown one on.

    >>> from qoslib.config.tc.command import command
    >>> made = command("class add dev eth0 classid 1:1 htb rate 1mbit foo 3".split(), 1, "")
    >>> options, unknown = options_of(made)
    >>> options["rate"].value, unknown
    (1000000.0, ['foo', '3'])
    """
    rest = list(command.words)
    options = Options(KINDS[command.thing, command.kind])
    while rest and take_options(options, rest, command.line, line_rate, shown=command.shown):
        pass
    return options, rest


def take_options(
    options: Options,
    rest: list[str],
    line: int,
    line_rate: Value | None = None,
    *,
    shown: bool = False,
    whole: bool = False,
) -> bool:
    """Take one option off the front of some words; False if it is none.

    Some commands of tc take whole words alone, and no abbreviations of them.
    """
    name = _option(rest[0], options.kind, whole)
    if not name:
        return False
    word = rest.pop(0)
    sort = options.kind[name].sort
    if sort in ("words", "netem"):
        value = Value(tuple(_numbers(rest)), line=line)
        if sort == "netem" and not value.value and not shown:
            rest.insert(0, word)
            return False
    elif sort == "flag":
        value = Value(True, line=line)
    elif not rest:
        raise ConfigurationError(f"nothing follows {word!r}", line)
    else:
        value = _value(sort, rest.pop(0), line, line_rate)
    options[name] = value
    return True


def _option(word: str, kind: Mapping[str, Option], whole: bool) -> str:
    """The option that a word or its abbreviation means; empty if there is none."""
    if word in kind:
        return word
    if _ALIASES.get(word) in kind:
        return _ALIASES[word]
    return next(
        (name for name in kind if not whole and len(word) > 2 and name.startswith(word)), ""
    )


def _numbers(rest: list[str]) -> list[str]:
    """Take the words that begin with a digit, and those that say of which sort a loss is."""
    taken = []
    while rest and (rest[0][:1].isdigit() or rest[0] in ("random", "state", "gemodel")):
        taken.append(rest.pop(0))
    return taken


def _value(sort: str, word: str, line: int, line_rate: Value | None) -> Value:
    unit, read, _ = SORTS[sort]
    share = _PERCENT.fullmatch(word)
    if sort != "rate or share" or not share:
        return Value(read(word, line), unit, line)
    per_cent = float(share[1])
    if per_cent > 100:
        raise ConfigurationError(f"{word!r} is more than the whole line", line)
    if line_rate is None:
        return Value(None, unit, line)
    rate = rate_bps(f"{line_rate.value * per_cent / 100:f}", line)
    return Value(rate, unit, line, fact=line_rate.fact)


def words_of(thing: str, kind: str, **values: Any) -> str:
    """A kind and its options as tc writes them; None and False are left out, a word stays.

    >>> words_of("qdisc", "tbf", rate=8e6, burst=1600, limit="100kb", overhead=0)
    'tbf rate 8mbit burst 1600 limit 100kb overhead 0'
    >>> words_of("qdisc", "codel", limit=9, target=5e-3, ce_threshold=None, ecn=True)
    'codel limit 9 target 5ms ecn'
    """
    words = [kind]
    for name, value in values.items():
        if value is True:
            words.append(name)
        elif value is not None and value is not False:
            sort = SORTS[KINDS[thing, kind][name].sort]
            words += [name, value if isinstance(value, str) else sort.write(value)]
    return " ".join(words)
