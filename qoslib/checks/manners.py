"""How platforms differ in what rules ask: a row a dialect, in place of its name in a rule."""

from typing import Literal, NamedTuple

__all__ = ["Manners", "manners_of"]


class Manners(NamedTuple):
    """What holds of one dialect.

    Attributes
    ----------
    family : {'cisco', 'junos', 'tc', 'sqm', 'eos', ''}
        The dialects with commands like its own.
    writes : bool
        Whether fixes can be written in it.
    matching : {'classes', 'filters', ''}
        Where the first that matches takes a packet; empty where that is not known.
    maps_whole : bool
        Whether the text of a class map and of marks says all about who is in a class.
    by_range : bool
        Whether classes get whole ranges of marks that nobody chose one by one, or none at all.
    sums_refused : bool
        Whether the device refuses guarantees above the rate of the port.
    oversubscribes : bool
        Whether guarantees above the rate of the port are usual, as levels say who gets them.
    limits_refused : bool
        Whether it counts the transmit rates of classes that are served first among those.
    strict_reserves : {'limit', 'policer', ''}
        Which limit of a class that is served first leaves others less to be guaranteed.
    bandwidth_is_weight : bool
        Whether `bandwidth` makes weights.
    excess_has_ratios : bool
        Whether what nobody is promised is shared by weights of its own.
    rest_shares_queue : bool
        Whether a class without a command of queues waits in that of the default class.
    thresholds_follow : bool
        Whether thresholds of early detection that no line says follow the queue's limit.
    one_unit : bool
        Whether all bandwidths of a policy have one unit, and an interface one policy a direction.
    takes_both : bool
        Whether some devices take priority and bandwidth in one class.
    scales_shares : bool
        Whether per cents above 100 in sum are divided by their sum.
    contract_by_bandwidth : bool
        Whether `bandwidth` of an interface tells what the carrier takes.
    priority_levels : int or None
        How many queues classes with priority have; None where each has its own.
    one_strict_queue : bool
        Whether most of its devices take one queue without a limit that is served first.
    strict_unless_said : bool
        Whether queues are strict where no line says so.
    shapers_by_kilobit : bool
        Whether the rate of a shaper is in kb/s.
    groups_choose : bool
        Whether groups that a policy sets on the way in choose the class on the way out.
    commits_whole : bool
        Whether one line that the device refuses keeps out all that is committed with it.
    verify : tuple of str
        Commands that show what a device does; `{name}` is an interface, `{way}` a direction.
    shared_buffers : bool
        Whether queues divide the port's buffers and borrow others: no line gives one its length.
    limit_in_words : str
        What gives a class that is served first a limit, where no command does.
    """

    family: Literal["cisco", "junos", "tc", "sqm", "eos", ""] = ""
    writes: bool = False
    matching: Literal["classes", "filters", ""] = ""
    maps_whole: bool = False
    by_range: bool = False
    sums_refused: bool = False
    oversubscribes: bool = False
    limits_refused: bool = False
    strict_reserves: Literal["limit", "policer", ""] = "limit"
    bandwidth_is_weight: bool = False
    excess_has_ratios: bool = False
    rest_shares_queue: bool = False
    thresholds_follow: bool = False
    one_unit: bool = False
    takes_both: bool = False
    scales_shares: bool = False
    contract_by_bandwidth: bool = False
    priority_levels: int | None = None
    one_strict_queue: bool = False
    strict_unless_said: bool = False
    shapers_by_kilobit: bool = False
    groups_choose: bool = False
    commits_whole: bool = False
    verify: tuple[str, ...] = ()
    shared_buffers: bool = False
    limit_in_words: str = ""


_CISCO = Manners("cisco", matching="classes")
_ROUTER = _CISCO._replace(
    writes=True,
    maps_whole=True,
    sums_refused=True,
    contract_by_bandwidth=True,
    verify=("show policy-map interface {name} {way}",),
)
_IOS = _ROUTER._replace(one_unit=True, rest_shares_queue=True, priority_levels=1)
_XE = _IOS._replace(excess_has_ratios=True, thresholds_follow=True, priority_levels=2)
_TC_SHOWS = ("tc -s qdisc show dev {name}", "tc -s class show dev {name}")
_MANNERS = {
    "ios": _IOS._replace(bandwidth_is_weight=True),
    "ios-xe": _XE,
    "catalyst": _XE._replace(shared_buffers=True),
    "ios-xr": _ROUTER._replace(strict_reserves="policer", groups_choose=True, commits_whole=True),
    "nxos": _CISCO._replace(takes_both=True, groups_choose=True),
    "eos": Manners(
        "eos",
        matching="classes",
        strict_reserves="",
        scales_shares=True,
        strict_unless_said=True,
        shapers_by_kilobit=True,
    ),
    "junos": Manners(
        "junos",
        writes=True,
        one_strict_queue=True,
        limits_refused=True,
        commits_whole=True,
        verify=("show interfaces queue {name}", "show class-of-service interface {name}"),
    ),
    "sqm": Manners("sqm", matching="filters", by_range=True, verify=_TC_SHOWS),
    # The network queues that a port has by default have CIRs of 120 % and more (7450 ESS Quality of
    # Service Guide, Default Network Queue Policy Definition).
    "sros": Manners(oversubscribes=True),
    "tc": Manners(
        "tc",
        writes=True,
        matching="filters",
        by_range=True,
        verify=_TC_SHOWS,
        limit_in_words=" A class of htb in place of the band of prio has a limit.",
    ),
}


def manners_of(dialect: str, platform: str = "") -> Manners:
    """What holds of a dialect, or of a platform whose queues are not those of its dialect.

    >>> manners_of("ios-xr").strict_reserves, manners_of("sonic").writes
    ('policer', False)
    """
    return _MANNERS.get(platform or dialect, Manners())
