"""The commands of tc that the scripts of SQM run for a device: what one way of a link becomes.

References
----------
sqm-scripts 95337de: src/simple.qos, simplest.qos, simplest_tbf.qos, piece_of_cake.qos,
layer_cake.qos, functions.sh and defaults.sh.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from qoslib import units

__all__ = ["NAMES", "SCRIPTS", "Way"]

#: What the classes of the scripts are for.
NAMES = {"1:10": "all", "1:11": "priority", "1:12": "best effort", "1:13": "background"}
#: A burst and a quantum last 1 ms, and hold a full packet in cells of ATM (get_burst).
BURST_S, LEAST_BURST_BYTES = 1e-3, 33 * 53
#: A target is at least so long, and an interval so much longer [us] (adapt_target_to_slow_link).
LEAST_TARGET_US, REST_OF_INTERVAL_US = 5000, 95_000
#: DS field and mask -> class, of packets that leave: what the marks of iptables come to.
_OUT = {"0x10 0x3c": "1:11", "0x90 0xfc": "1:11", "0xb8 0xfc": "1:11", "0xc0 0xfc": "1:11"}
_OUT |= {"0x20 0xfc": "1:13"}
#: The same of packets that come in (diffserv).
_IN = {"0x10 0xfc": "1:11", "0xb8 0xfc": "1:11", "0xc0 0xfc": "1:11", "0xe0 0xfc": "1:11"}
_IN |= {"0x90 0xfc": "1:11", "0x20 0xfc": "1:13"}
_TIME = re.compile(r"\d+(s|secs?|ms|msecs?|us|usecs?)")


class Way(NamedTuple):
    """One way of a link, and what its script is told."""

    device: str
    kbits: int
    comes_in: bool
    options: Mapping[str, str]

    def said(self, name: str, otherwise: str = "") -> str:
        """An option that is the same for both ways."""
        return self.options.get(name) or otherwise

    def own(self, name: str) -> str:
        """An option of this way, like `etarget` and `itarget`."""
        return self.said(("i" if self.comes_in else "e") + name)

    @property
    def sorts(self) -> bool:
        """Whether the marks of packets choose a class: of those that come in where it is asked."""
        return not self.comes_in or self.said("squash_ingress", "1") != "1"

    @property
    def qdisc(self) -> str:
        """The kind of the queues."""
        return self.said("qdisc", "fq_codel")

    @property
    def rate_bps(self) -> float:
        """The rate of the shaper [bit/s]."""
        return units.convert(self.kbits, "kbit/s", "bit/s")

    @property
    def burst_bytes(self) -> int:
        """Burst and quantum of htb and tbf [B]."""
        return max(int(units.octets(self.rate_bps * BURST_S)), LEAST_BURST_BYTES)

    def frames(self) -> str:
        """What a shaper counts of each frame."""
        layer = self.said("linklayer", "none")
        if layer == "none":
            return ""
        overhead, least = self.said("overhead", "0"), self.said("tcMPU", "0")
        return f" linklayer {layer} overhead {overhead} mpu {least}"

    def leaf(self, quantum: int = 0) -> str:
        """The qdisc of a class: limit, target, ECN, quantum and flows, as far as it has them."""
        kind, words = self.qdisc, [self.qdisc]
        controlled = kind.endswith(("codel", "pie"))
        if controlled or kind in ("pfifo_fast", "sfq", "pfifo"):
            words += ["limit", self.own("limit") or "1001"]
        words += self._target() if controlled else []
        word = "ingress_ecn" if self.comes_in else "egress_ecn"
        if controlled or kind.endswith("red"):
            words += {"ECN": ["ecn"], "NOECN": ["noecn"]}.get(self.said(word, "ECN"), [])
        if quantum and (kind.endswith("fq_codel") or kind in ("fq_pie", "drr")):
            words += ["quantum", str(quantum)]
        if kind.endswith("fq_codel") or kind == "sfq":
            words += ["flows", "1024"]
        return " ".join([*words, *self.own("qdisc_opts").split()])

    def _target(self) -> list[str]:
        """A target that is given, or one above the time of a full packet."""
        given = self.own("target")
        if _TIME.fullmatch(given):
            return ["target", given]
        if given not in ("", "auto", "Auto", "AUTO"):
            return []
        packet_us = units.convert(
            units.serialisation_s(LEAST_BURST_BYTES, self.rate_bps), "s", "us"
        )
        target_us = max(int(round(packet_us, 3)), LEAST_TARGET_US)
        interval = ["interval", f"{REST_OF_INTERVAL_US + target_us}us"]
        return ["target", f"{target_us}us", *(interval if self.qdisc.endswith("codel") else [])]

    def add(self, thing: str, words: str) -> str:
        """A command about the device."""
        return f"{thing} add dev {self.device} {words}"

    def htb(self, classid: str, least: int, most: int, *, more: str, bursts: bool = True) -> str:
        """A class of htb, with its rate and its ceiling in kbit/s."""
        size, parent = self.burst_bytes, "1:" if classid == "1:1" else "1:1"
        burst = f" burst {size} cburst {size}" if bursts else ""
        words = f"quantum {size} rate {least}kbit ceil {most}kbit{burst}{more}{self.frames()}"
        return self.add("class", f"parent {parent} classid {classid} htb {words}")


def _simple(way: Way) -> Iterator[str]:
    """Three classes: priority has a third, the others a sixth each, and all may have the rest."""
    if way.qdisc.startswith("cake"):
        yield from _cake(way, "besteffort" if not way.sorts else "")
        return
    if not way.sorts:
        yield from _simplest(way)
        return
    first, rest = way.kbits // 3, way.kbits // 6
    yield way.add("qdisc", "root handle 1: htb default 12")
    yield way.htb("1:1", way.kbits, way.kbits, more="")
    yield way.htb("1:11", 32 if way.comes_in else 128, first, more=" prio 1", bursts=False)
    yield way.htb("1:12", rest, way.kbits - 16, more=" prio 2")
    yield way.htb("1:13", rest, way.kbits - 16, more=" prio 3")
    quanta = (500, 1500, 300) if way.comes_in else (300, 300, 300)
    for classid, quantum in zip(("1:11", "1:12", "1:13"), quanta, strict=True):
        yield way.add("qdisc", f"parent {classid} handle {classid[2:]}0: {way.leaf(quantum)}")
    for number, (field, classid) in enumerate((_IN if way.comes_in else _OUT).items(), 1):
        match = f"protocol ip prio {number} u32 match ip dsfield {field} flowid {classid}"
        yield way.add("filter", f"parent 1: {match}")


def _simplest(way: Way) -> Iterator[str]:
    """One class."""
    if way.qdisc.startswith("cake"):
        yield from _cake(way, "besteffort")
        return
    yield way.add("qdisc", "root handle 1: htb default 10")
    yield way.htb("1:1", way.kbits, way.kbits, more="")
    yield way.htb("1:10", way.kbits, way.kbits, more=" prio 0")
    yield way.add("qdisc", f"parent 1:10 handle 110: {way.leaf()}")


def _token_bucket(way: Way) -> Iterator[str]:
    """A token bucket above one queue."""
    shaper = f"rate {way.kbits}kbit burst {way.burst_bytes} latency 300ms{way.frames()}"
    yield way.add("qdisc", f"root handle 1: tbf {shaper}")
    yield way.add("qdisc", f"parent 1: handle 110: {way.leaf()}")


def _cake(way: Way, *keywords: str) -> Iterator[str]:
    """One qdisc, cake."""
    cells = " atm" if way.said("linklayer") == "atm" else ""
    frames = way.frames().partition(" overhead ")[2]
    words = [f"cake bandwidth {way.kbits}kbit", *keywords, way.own("qdisc_opts")]
    counted = f"{cells} overhead {frames}" if frames else ""
    yield way.add("qdisc", f"root {' '.join(filter(None, words))}{counted}")


def _layer_cake(way: Way) -> Iterator[str]:
    wash = "wash" if way.comes_in and way.said("squash_dscp", "1") == "1" else ""
    yield from _cake(way, "diffserv3 nat", "" if way.sorts else "besteffort", wash)


def _piece_of_cake(way: Way) -> Iterator[str]:
    yield from _cake(way, "nat besteffort")


#: Name of a script -> its commands for one way.
SCRIPTS: Mapping[str, Callable[[Way], Iterator[str]]] = {
    "simple.qos": _simple,
    "simplest.qos": _simplest,
    "simplest_tbf.qos": _token_bucket,
    "piece_of_cake.qos": _piece_of_cake,
    "layer_cake.qos": _layer_cake,
}
