"""What a platform does where its configuration says nothing, as functions of a rate."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from qoslib import units
from qoslib.config.code_points import code_of
from qoslib.config.values import Value, of_default
from qoslib.port import ByteLimit, PacketLimit

__all__ = [
    "ASR_920",
    "CATALYST",
    "IOS",
    "IOS_XE",
    "IOS_XR",
    "NXOS",
    "OLD_CATALYST",
    "PlatformDefaults",
]

#: Least threshold of classic WRED by code point: 20 + 2 for each precedence, AF by drop precedence.
_AF_LEAST = {"1": 32, "2": 28, "3": 24}


#: A queue of a time holds a full frame, or nothing gets out; one of packets counts these [B].
_FRAME_BYTES, _PACKET_BYTES, _LEAST_PACKETS = 1518, 1500, 64


@dataclass(frozen=True)
class PlatformDefaults:
    """A platform: its defaults, and how it shares what is left over."""

    #: The dialect, and the table of ``defaults.toml``.
    name: str
    #: Of `priority`.
    levels: int
    #: (mark, by, the queue's limit) to the two thresholds of WRED, in the unit of the limit.
    thresholds: Callable[[str, str, float], tuple[float, float]]
    #: The defaults of a queue's limit, and of one with priority; none where nobody knows.
    limits: tuple[str, ...] = ("queue_limit", "priority_queue_limit")
    #: Whether the excess is shared by `bandwidth`; else by `bandwidth remaining`.
    by_bandwidth: bool = False
    #: Whether all classes of one level of `priority` wait in one queue.
    one_queue_a_level: bool = False
    #: What `queue-limit` takes a packet to be; 0 where it counts packets [B].
    packet_bytes: int = 0
    #: Whether it has classes of its own, which no text defines.
    built_in: bool = False
    #: Whether times of a queue are at the rate that it is sure of; else at the next shaper's.
    by_service: bool = False
    #: Whether the type in an interface's name says its rate.
    types: bool = True
    #: Whether a class without a command of queues waits in the queue of `class-default`.
    shared_default: bool = True
    #: Whether an interface takes several policies in one direction, which act together.
    several: bool = False
    #: Whether its queues and buffers are those of the models; else nothing is promised.
    modelled: bool = True
    #: Whether its queues divide the port's buffers, and how many there are; 0 for any number.
    buffers: bool = False
    most_queues: int = 0
    #: What each queue of a port holds, up to 1 Gb/s and above, whatever shapes it.
    port_queues: tuple[str, ...] = ()
    #: Whether a class may keep its flows apart, and the rates up to which it has how many queues.
    has_fair_queues: bool = False
    fair_queue_steps: tuple[tuple[float, int], ...] = ()
    #: Its own rows of ``defaults.toml``, in place of its dialect's.
    rows: tuple[tuple[str, str], ...] = ()

    def value(self, name: str) -> Value:
        """A default, which is the platform's own: no other's is cited for it."""
        return of_default(f"{self.name}.{dict(self.rows).get(name, name)}")

    def limit(self, rate_bps: float, priority: bool) -> tuple[PacketLimit | ByteLimit, Value]:
        """What a queue holds, and the default that says it."""
        source = self.value(self.limits[priority])
        if source.unit == "packets":
            return PacketLimit(int(source.value)), source
        size = units.octets(rate_bps * source.value)
        if self.packet_bytes:
            return ByteLimit(max(int(size), _FRAME_BYTES)), source
        return PacketLimit(max(int(size / _PACKET_BYTES), _LEAST_PACKETS)), source

    def fair_queues(self, rate_bps: float) -> Value:
        """How many queues the flows of a class have."""
        usual = self.value("fair_queue")
        few = (count for most_bps, count in self.fair_queue_steps if rate_bps <= most_bps)
        return usual._replace(value=next(few, int(usual.value)))


def _precedence(mark: str) -> int:
    """The precedence of a mark: the first three bits of its code point; 0 of one that is none."""
    kind, code = code_of(mark) or ("", 0)
    return code >> 3 if kind == "DSCP" else code


def _classic_least(mark: str, by: str) -> int:
    """The least threshold of classic WRED [packets]."""
    if by == "dscp" and mark == "EF":
        return 36
    if by == "dscp" and mark.startswith("AF"):
        return _AF_LEAST[mark[3]]
    return 20 + 2 * _precedence(mark)


def _ios_thresholds(mark: str, by: str, limit: float) -> tuple[float, float]:
    return _classic_least(mark, by), 40


def _xe_thresholds(mark: str, by: str, limit: float) -> tuple[float, float]:
    if by == "dscp":
        return int(limit * _classic_least(mark, by) / 80), limit // 2
    return int(limit * (8 + _precedence(mark)) / 32), limit // 2


def _xr_thresholds(mark: str, by: str, limit: float) -> tuple[float, float]:
    return limit // 2, limit


def _catalyst_thresholds(mark: str, by: str, limit: float) -> tuple[float, float]:
    return limit, limit


#: Up to these rates of classic IOS the flows of a class have so many queues.
_DYNAMIC_QUEUES = ((64e3, 16), (128e3, 32), (256e3, 64), (512e3, 128))
IOS_XE = PlatformDefaults("ios-xe", 2, _xe_thresholds, has_fair_queues=True, one_queue_a_level=True)
#: A Catalyst 9000 speaks IOS XE; its queues share buffers by rules of its own.
CATALYST = replace(
    IOS_XE,
    thresholds=_catalyst_thresholds,
    buffers=True,
    has_fair_queues=False,
    most_queues=8,
    rows=(
        ("remaining_ratio", "catalyst_remaining_ratio"),
        ("wred_thresholds", "catalyst_wred_thresholds"),
    ),
)
#: An ASR 920 speaks IOS XE; a port's queues are short, and grow only by `queue-limit`.
ASR_920 = replace(IOS_XE, port_queues=("asr920_queue", "asr920_fast_queue"))
#: The queues of an older one go by number.
OLD_CATALYST = replace(IOS_XE, modelled=False)
IOS = PlatformDefaults(
    "ios", 1, _ios_thresholds, ("queue_limit", "queue_limit"), by_bandwidth=True,
    has_fair_queues=True, fair_queue_steps=_DYNAMIC_QUEUES,
    one_queue_a_level=True,
)  # fmt: skip
IOS_XR = PlatformDefaults(
    "ios-xr", 7, _xr_thresholds, packet_bytes=256, by_service=True, several=True
)
#: NCS 540 and 5500 speak IOS XR; their queues are shorter.
NCS = replace(IOS_XR, limits=("ncs_queue_limit", "priority_queue_limit"))
#: A text with the traffic classes of these, and with queues as they have none.
NCS_OR_NOT = replace(IOS_XR, limits=("either_queue_limit", "priority_queue_limit"))
NXOS = PlatformDefaults(
    "nxos", 7, _xr_thresholds, (), by_bandwidth=True, built_in=True, types=False,
    shared_default=False,
)  # fmt: skip
