"""What a platform does where its configuration says nothing, as functions of a rate."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from qoslib import units
from qoslib.config.code_points import code_of
from qoslib.config.defaults import default
from qoslib.config.values import Value, of_default
from qoslib.port import ByteLimit, PacketLimit

__all__ = ["CATALYST", "IOS", "IOS_XE", "IOS_XR", "NXOS", "PlatformDefaults"]

#: Least threshold of classic WRED by code point: 20 + 2 for each precedence, AF by drop precedence.
_AF_LEAST = {"1": 32, "2": 28, "3": 24}


@dataclass(frozen=True)
class PlatformDefaults:
    """A platform: its defaults, and how it shares what is left over.

    Parameters
    ----------
    name : str
        The dialect, and the table of ``defaults.toml``.
    levels : int
        Of `priority`.
    by_bandwidth : bool
        Whether the excess is shared by `bandwidth`; else by `bandwidth remaining`.
    limit : callable or None
        (rate [bit/s], priority?) to a limit and the name of its default; None where nobody knows.
    thresholds : callable
        (mark, by, the queue's limit) to the two thresholds of WRED, in the unit of the limit.
    thresholds_default : str
        The name of that default.
    packet_bytes : int
        What `queue-limit` takes a packet to be; 0 where it counts packets [B].
    built_in : bool
        Whether it has classes of its own, which no text defines.
    by_service : bool
        Whether times of a queue are at the rate that it is sure of; else at the next shaper's.
    types : bool
        Whether the type in an interface's name says its rate.
    shared_default : bool
        Whether a class without a command of queues waits in the queue of `class-default`.
    several : bool
        Whether an interface takes several policies in one direction, which act together.
    modelled : bool
        Whether its queues and buffers are those of the models; else nothing is promised.
    """

    name: str
    levels: int
    by_bandwidth: bool
    limit: Callable[[float, bool], tuple[PacketLimit | ByteLimit, str]] | None
    thresholds: Callable[[str, str, float], tuple[float, float]]
    thresholds_default: str
    packet_bytes: int = 0
    built_in: bool = False
    by_service: bool = False
    types: bool = True
    shared_default: bool = False
    several: bool = False
    modelled: bool = True

    def value(self, name: str) -> Value:
        """A default, which is the platform's own: no other's is cited for it."""
        return of_default(f"{self.name}.{name}")


def _precedence(mark: str) -> int:
    """The precedence of a mark: the first three bits of its code point; 0 of one that is none."""
    kind, code = code_of(mark) or ("", 0)
    return code >> 3 if kind == "DSCP" else code


_FRAME_BYTES = 1518


def _xe_limit(rate_bps: float, priority: bool) -> tuple[PacketLimit, str]:
    if priority:
        packets = int(default("ios-xe.priority_queue_limit").value or 0)
        return PacketLimit(packets), "ios-xe.priority_queue_limit"
    time_s = default("ios-xe.queue_limit").value or 0.0
    frame_bytes, least_packets = 1500, 64
    packets = int(units.octets(rate_bps * time_s) / frame_bytes)
    return PacketLimit(max(packets, least_packets)), "ios-xe.queue_limit"


def _ios_limit(rate_bps: float, priority: bool) -> tuple[PacketLimit, str]:
    return PacketLimit(int(default("ios.queue_limit").value or 0)), "ios.queue_limit"


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


def _xr_limit(rate_bps: float, priority: bool) -> tuple[ByteLimit, str]:
    name = "ios-xr.priority_queue_limit" if priority else "ios-xr.queue_limit"
    return _lasting(rate_bps, name), name


def _ncs_limit(rate_bps: float, priority: bool) -> tuple[ByteLimit, str]:
    name = "ios-xr.priority_queue_limit" if priority else "ios-xr.ncs_queue_limit"
    return _lasting(rate_bps, name), name


def _lasting(rate_bps: float, name: str) -> ByteLimit:
    """A queue that lasts for the time of a default; it holds a full frame, or nothing gets out."""
    size = units.octets(rate_bps * (default(name).value or 0.0))
    return ByteLimit(max(int(size), _FRAME_BYTES))


def _xr_thresholds(mark: str, by: str, limit: float) -> tuple[float, float]:
    return limit // 2, limit


IOS_XE = PlatformDefaults(
    "ios-xe",
    2,
    False,
    _xe_limit,
    _xe_thresholds,
    "ios-xe.wred_thresholds",
    shared_default=True,
)
#: A Catalyst 9000 speaks IOS XE; its queues share buffers by rules of its own.
CATALYST = replace(IOS_XE, modelled=False)
IOS = PlatformDefaults(
    "ios", 1, True, _ios_limit, _ios_thresholds, "ios.wred_thresholds", shared_default=True
)
IOS_XR = PlatformDefaults(
    "ios-xr",
    7,
    False,
    _xr_limit,
    _xr_thresholds,
    "ios-xr.wred_thresholds",
    packet_bytes=256,
    by_service=True,
    shared_default=True,
    several=True,
)
#: NCS 540 and 5500 speak IOS XR; their queues are shorter.
NCS = replace(IOS_XR, limit=_ncs_limit)
NXOS = PlatformDefaults(
    "nxos",
    7,
    True,
    None,
    _xr_thresholds,
    "nxos.wred_thresholds",
    built_in=True,
    types=False,
)
