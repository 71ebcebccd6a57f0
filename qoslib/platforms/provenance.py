"""Where a platform's numbers come from: printed in a source, assumed, or fitted."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from qoslib.flows import Host
from qoslib.port import Chain, Forwarder, Port
from qoslib.scenario import Scenario
from qoslib.traffic import Stream

__all__ = ["Experiment", "Fact", "Facts", "Ramp", "assumed", "fitted", "sourced"]


class Fact(float):
    """A number in base units that knows where it comes from.

    Attributes
    ----------
    kind : str
        ``sourced``, ``assumed`` or ``fitted``.
    origin : str
        The row of the published data, the reason, or the data it was fitted on.
    used_in : str
        The sets of assumptions that alone use it, with commas between; empty where all may.
    """

    kind: str
    origin: str
    used_in: str

    def __new__(cls, value, kind, origin, used_in=""):
        fact = super().__new__(cls, value)
        fact.kind, fact.origin, fact.used_in = kind, origin, used_in
        return fact

    def __getnewargs__(self):
        return float(self), self.kind, self.origin, self.used_in

    def is_used_in(self, assumptions: str) -> bool:
        """Whether a set of assumptions may use it."""
        return not self.used_in or assumptions in self.used_in.split(", ")


def sourced(value: float, key: str) -> Fact:
    """A published number; `key` is ``file/experiment/stream/quantity`` of its row in `data`."""
    return Fact(value, "sourced", key)


def assumed(value: float, because: str) -> Fact:
    """A number that no source prints, with the reason for it."""
    return Fact(value, "assumed", because)


def fitted(value: float, on: str, used_in: str = "") -> Fact:
    """A number found by fitting; `on` lists the rows it was fitted on, keys as in `sourced`.

    A latency may carry its statistic there, as on the scoreboard: ``latency_average``.
    """
    return Fact(value, "fitted", on, used_in)


class Facts(Mapping):
    """The numbers of a platform by name, also as attributes."""

    def __init__(self, **facts: Fact):
        self._facts = facts

    def __getitem__(self, name):
        return self._facts[name]

    def __iter__(self):
        return iter(self._facts)

    def __len__(self):
        return len(self._facts)

    def __getattr__(self, name):
        try:
            return self.__dict__["_facts"][name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def fitted_on(self) -> dict[str, tuple[str, ...]]:
        """Fitted parameters by name, with the keys of the published values each was fitted on."""
        fits = ((name, fact) for name, fact in self.items() if fact.kind == "fitted")
        return {name: tuple(fact.origin.split(", ")) for name, fact in fits}

    def fitted_in(self, assumptions: str) -> set[str]:
        """Keys of the values that the parameters of one set of assumptions were fitted on."""
        mine = [n for n in self.fitted_on if self[n].is_used_in(assumptions)]
        return {key for name in mine for key in self.fitted_on[name]}

    def rows(self) -> list[dict]:
        """One row a number: name, value in base units, kind, origin."""
        return [
            {"name": name, "value": float(fact), "kind": fact.kind, "origin": fact.origin}
            for name, fact in self.items()
        ]

    def __str__(self):
        width = max(map(len, self))
        lines = (f"{n:{width}}  {float(f):<12.6g} {f.kind:8}  {f.origin}" for n, f in self.items())
        return "\n".join(lines)


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
    port : Port, Forwarder or Chain
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
    port: Port | Forwarder | Chain
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

    @property
    def only_port(self) -> Port:
        """The port, where nothing stands before or behind it.

        Raises
        ------
        ValueError
            If it is a forwarder or a chain.
        """
        if not isinstance(self.port, Port):
            kind = type(self.port).__name__
            raise ValueError(f"experiment {self.name!r} is of a {kind}; allowed: one Port")
        return self.port

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
