"""A platform: a router of a source with its facts, declared assumptions and experiments."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from qoslib.flows import Host
from qoslib.platforms.provenance import Facts
from qoslib.port import Chain, Forwarder, Port, Switch
from qoslib.record import checked, fail
from qoslib.scenario import Scenario
from qoslib.traffic import Stream

__all__ = ["Experiment", "Platform", "Ramp"]


@dataclass(frozen=True)
class Ramp:
    """A load that is raised until some streams lose packets.

    Attributes
    ----------
    streams_at : callable
        All streams at a load [bit/s].
    low_bps, high_bps, step_bps : float
        The loads: from low in equal steps to at most high [bit/s].
    watched : tuple of str
        The streams that may lose nothing.
    """

    streams_at: Callable[[float], tuple[Stream, ...]]
    low_bps: float
    high_bps: float
    step_bps: float
    watched: tuple[str, ...]


@dataclass(frozen=True)
class Experiment:
    """A published experiment as a description that every model can run.

    Attributes
    ----------
    name : str
        As in the published data.
    title : str
        For people.
    port : Port, Forwarder, Chain or Switch
    streams : tuple of Stream
    assumptions : str
        Name of the declared set, ``base`` by default.
    counted_extra_bytes : float
        What the published bit rates count on top of each of the streams' frames [B].
    duration_s, warmup_s : float
        How long a packet model runs it, and what it leaves out at the start [s].
    replications : int
        How often a packet model runs it, in other phases of its streams each time.
    started_within_s : float
        Each stream but the first starts later than described by a uniform draw of up to this [s],
        as if by hand.
    whole_s : float or None
        How long it is replayed where `--full` is asked for [s]; None where it never is.
    models : tuple of str
        The models that speak to it; empty for all of the platform's.
    also : tuple of str
        Further published experiments whose values are about this one.
    groups : mapping
        Names of published streams that stand for several, and which.
    phased : bool
        Whether the streams' phases are part of the description; else each seed draws them.
    timed : bool
        Whether a tester timed each packet, so that extremes are those of the whole run.
    ramp : Ramp or None
        The load to raise; the streams are those at the published load.
    hosts : tuple of Host
        TCP senders beside the streams.
    """

    name: str
    title: str
    port: Port | Forwarder | Chain | Switch
    streams: tuple[Stream, ...]
    assumptions: str = "base"
    counted_extra_bytes: float = 0.0
    duration_s: float = 2.0
    warmup_s: float = 1.0
    replications: int = 3
    started_within_s: float = 0.0
    whole_s: float | None = None
    models: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    phased: bool = False
    timed: bool = False
    ramp: Ramp | None = None
    hosts: tuple[Host, ...] = ()

    def __post_init__(self) -> None:
        where = f"Experiment {checked(str, self.name, 'Experiment.name')!r}"
        checked(Port | Forwarder | Chain | Switch, self.port, f"{where} port")
        checked(tuple[Stream, ...], self.streams, f"{where} streams")
        checked(tuple[Host, ...], self.hosts, f"{where} hosts")

    @property
    def only_port(self) -> Port:
        """The port, where nothing stands before or behind it.

        Raises
        ------
        ValueError
            If it is a forwarder or a chain.
        """
        return self.scenario.only_port

    @property
    def is_run(self) -> bool:
        """Whether it is one run with its start and end, not a steady state."""
        return any(stream.stop_s is not None for stream in self.streams)

    @property
    def scenario(self) -> Scenario:
        """The description alone, to save as JSON."""
        title = f"{self.port.name}, {self.title}, {self.assumptions}"
        return Scenario(
            title,
            self.port,
            self.streams,
            self.duration_s,
            self.warmup_s,
            hosts=self.hosts,
        )


@dataclass(frozen=True, eq=False)
class Platform:
    """A router of a source as data.

    Attributes
    ----------
    name : str
        File stem of its module, and the beginning of the names of its tables.
    facts : Facts
        Its numbers, each sourced, assumed or fitted.
    assumptions : mapping
        Name of each declared set to its description, ``base`` first.
    describe : callable
        The experiments under a set of assumptions; `experiments` asks it once for each set.
    ports : mapping
        What the experiments run through, by name: functions whose arguments are the what-ifs.
    models : tuple of str
        Those that speak to it.
    not_described : mapping
        Published experiment to the reason why it has no `Experiment`.
    ratios : mapping
        Published ratio to a quantity and two streams.
    leaves_by : mapping
        Port to the port that what leaves by it came in at.
    pairs : mapping
        Quantity to two counters that the test makes equal: their ratio shows how far published
        values can be trusted.
    parameters : mapping
        Set to the fitted numbers that it was free to choose.
    counted : tuple of str
        Sets that are shown by how many values they meet, without a row for each.
    full_only : tuple of str
        Sets that only a full run of the scoreboard includes.
    without_fits : mapping
        Set to the same with its last fits taken back.
    """

    name: str
    facts: Facts
    assumptions: Mapping[str, str]
    describe: Callable[[str], Iterable[Experiment]]
    ports: Mapping[str, Callable[..., Port | Forwarder | Chain | Switch]]
    models: tuple[str, ...] = ("fluid", "packets")
    not_described: Mapping[str, str] = field(default_factory=dict)
    ratios: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)
    leaves_by: Mapping[str, str] = field(default_factory=dict)
    pairs: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    parameters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    counted: tuple[str, ...] = ()
    full_only: tuple[str, ...] = ()
    without_fits: Mapping[str, str] = field(default_factory=dict)

    def experiments(self, assumptions: str = "base") -> dict[str, Experiment]:
        """The published experiments by name, or those that a set of assumptions speaks of.

        Parameters
        ----------
        assumptions : str
            Name of a declared set.

        Returns
        -------
        dict of str to Experiment
            By name, in the order of the source.

        Raises
        ------
        ValueError
            If there is no such set.

        Examples
        --------
        >>> from qoslib.platforms import platform
        >>> list(platform("m120").experiments("frames"))
        ['profile1', 'profile2']
        """
        if not isinstance(assumptions, str) or assumptions not in self.assumptions:
            fail("assumptions", assumptions, ", ".join(self.assumptions))
        return dict(_described(self, assumptions))


@cache
def _described(platform: Platform, assumptions: str) -> dict[str, Experiment]:
    return {each.name: each for each in platform.describe(assumptions)}
