"""One record of what happened to each stream, whichever model made it."""

import re
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields

import numpy as np

from qoslib import tables
from qoslib.record import fail
from qoslib.results.array_record import ArrayRecord
from qoslib.results.parts import Counts, Events, FlowRecord, Heard, Histogram, History, PacketTrace
from qoslib.results.stream import StreamResult

if typing.TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

__all__ = ["QUANTITIES", "Result"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Result(tables.Tabular, ArrayRecord):
    """What a model says of each stream.

    The last axis of every array is the stream; a fluid model that was given arrays of offered
    loads has their other axes in front. A delay is NaN where nothing was sent, never 0.

    ``result["voice"]`` is one stream of it, with a reason where a value is missing. Beside the
    fields below there is, by the same path, any quantile of the delay, from the histogram
    (``delay_p50_s``, ``delay_p99_s``, ``delay_p999_s``, ...), each whole number of a packet model
    (``sent_packets``, ``dropped_bytes``, ...), and each figure of TCP flows (``goodput_bps``,
    ``retransmitted``, ...), and what a listener notices: ``jitter_s``, and ``loss_run_packets``,
    the mean length of a run of losses [packets]. All have the shape (..., streams), with NaN where
    there is no value. `drop_ratio` is the share of the offered packets that is dropped.

    Attributes
    ----------
    model : str
        ``fluid``, ``packets`` or ``tcp``.
    streams, queues : tuple of str
        Names.
    offered_pps, sent_pps, dropped_pps : ndarray, shape (..., streams)
        Packet rates [packets/s].
    offered_bps, sent_bps, dropped_bps : ndarray, shape (..., streams)
        Rates of the frames' own bits [bit/s].
    delay_mean_s, delay_min_s, delay_max_s : ndarray, shape (..., streams)
        From arrival to the last bit on the line [s].
    dropped_by_pps : mapping of cause to ndarray, shape (..., streams)
        The dropped packets by cause [packets/s].
    sent_by_mark_pps : mapping of mark to ndarray, shape (..., streams)
        The sent packets by the mark that they leave with [packets/s]; empty where no policer gives
        another mark.
    without_delay : mapping of stream to str
        Why a stream that is sent has no delay here.
    duration_s : float or None
        Time the figures were taken over [s]; None for a steady state.
    seed : int or None
    packets, octets : Counts or None
        Whole numbers, of a packet model.
    histogram, history, trace, events : Histogram, History, PacketTrace, Events or None
    heard : Heard or None
        Jitter and runs of losses, of a packet model.
    tcp : FlowRecord or None
        Of the TCP connections among the streams.
    pause_frames : int
        IEEE 802.3 PAUSE frames sent to the senders.
    hops : tuple of Result
        Of a chain, the record of each port or forwarder.
    interrupted : bool
        Whether the run was stopped before its end; the figures then cover `duration_s`.
    notes : tuple of str
        What the model says about its own validity for this run, one plain sentence or two each;
        empty where it has nothing to say.

    Examples
    --------
    >>> from qoslib.fluid import solve
    >>> from qoslib.port import PacketLimit, Port, Queue
    >>> from qoslib.traffic import Stream
    >>> port = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
    >>> result = solve(port, [Stream("voice", 90e6), Stream("data", 30e6)])
    >>> result["data"].sent_bps
    25000000.0
    >>> result
    Result (fluid)
    stream  offered [Mbit/s]  sent [Mbit/s]  dropped [%]  mean delay [ms]
    voice                 90             75        16.67             8.08
    data                  30             25        16.67             8.08
    """

    model: str
    streams: tuple[str, ...]
    queues: tuple[str, ...]
    offered_pps: np.ndarray
    sent_pps: np.ndarray
    dropped_pps: np.ndarray
    offered_bps: np.ndarray
    sent_bps: np.ndarray
    dropped_bps: np.ndarray
    delay_mean_s: np.ndarray
    delay_min_s: np.ndarray
    delay_max_s: np.ndarray
    dropped_by_pps: Mapping[str, np.ndarray] = field(default_factory=dict)
    sent_by_mark_pps: Mapping[str, np.ndarray] = field(default_factory=dict)
    without_delay: Mapping[str, str] = field(default_factory=dict)
    duration_s: float | None = None
    seed: int | None = None
    packets: Counts | None = None
    octets: Counts | None = None
    histogram: Histogram | None = None
    history: History | None = None
    trace: PacketTrace | None = None
    events: Events | None = None
    heard: Heard | None = None
    tcp: FlowRecord | None = None
    pause_frames: int = 0
    hops: tuple["Result", ...] = ()
    interrupted: bool = False
    notes: tuple[str, ...] = ()

    def __getitem__(self, stream: str) -> StreamResult:
        if stream not in self.streams:
            fail("stream", stream, ", ".join(self.streams))
        return StreamResult(self, stream)

    def __iter__(self) -> Iterator[str]:
        return iter(self.streams)

    def __getattr__(self, name: str) -> np.ndarray:
        if quantile := QUANTILE.fullmatch(name):
            return self._quantile_s(int(quantile[1]) / 10 ** len(quantile[1]))
        if name in COUNTS:
            return self._count(*name.rsplit("_", 1))
        if name in OF_FLOWS:
            return self._of_flows(name)
        if name in HEARD:
            return self._heard(name)
        more = ", ".join((*COUNTS, *HEARD, *OF_FLOWS))
        allowed = f"a field, delay_p50_s and other quantiles, {more}"
        raise AttributeError(f"a {type(self).__name__} has no {name!r}; allowed: {allowed}")

    @property
    def drop_ratio(self) -> np.ndarray:
        """The share of the offered packets that is dropped, shape (..., streams) [ratio].

        It is 0 where nothing is offered: ``result["voice"].drop_ratio`` is always a number.

        Examples
        --------
        >>> from qoslib.fluid import solve
        >>> from qoslib.port import PacketLimit, Port, Queue
        >>> from qoslib.traffic import Stream
        >>> port = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
        >>> solve(port, [Stream("data", 125e6), Stream("idle")]).drop_ratio
        array([0.2, 0. ])
        """
        share = np.zeros(np.shape(self.offered_pps))
        np.divide(self.dropped_pps, self.offered_pps, out=share, where=self.offered_pps > 0)
        return share

    def _quantile_s(self, share: float) -> np.ndarray:
        if self.histogram is None:
            return np.full(np.shape(self.delay_mean_s), np.nan)
        # A bin may reach beyond the delays in it, but no further than these.
        quantile_s = self.histogram.quantile_s(share)
        within_s: np.ndarray = np.clip(quantile_s, self.delay_min_s, self.delay_max_s)
        return within_s

    def _count(self, name: str, unit: str) -> np.ndarray:
        counts = self.packets if unit == "packets" else self.octets
        if counts is None:
            return np.full(np.shape(self.sent_pps), np.nan)
        values: np.ndarray = getattr(counts, "lost" if name == "dropped" else name)
        return values

    def _of_flows(self, name: str) -> np.ndarray:
        values = np.full(np.shape(self.sent_pps), np.nan)
        if self.tcp is not None:
            places = [self.streams.index(flow) for flow in self.tcp.flows]
            values[..., places] = getattr(self.tcp, name)
        return values

    def _heard(self, name: str) -> np.ndarray:
        if self.heard is None:
            return np.full(np.shape(self.sent_pps), np.nan)
        if name == "jitter_s":
            return self.heard.jitter_s
        runs = self.heard.loss_runs
        lengths: np.ndarray = np.where(runs > 0, self.dropped_packets / np.maximum(runs, 1), np.nan)
        return lengths

    @property
    def quantities(self) -> tuple[str, ...]:
        """The quantities of a stream that this result has, as they stand in its table.

        Examples
        --------
        >>> from qoslib.fluid import solve
        >>> from qoslib.port import PacketLimit, Port, Queue
        >>> from qoslib.traffic import Stream
        >>> port = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
        >>> solve(port, [Stream("a")]).quantities[:2]
        ('offered_pps', 'sent_pps')
        """
        return (
            *QUANTITIES,
            *(SHOWN_QUANTILES if self.histogram is not None else ()),
            *(COUNTS if self.packets is not None else ()),
            *(HEARD if self.heard is not None else ()),
            *(OF_FLOWS if self.tcp is not None else ()),
        )

    def to_frame(self) -> "pd.DataFrame":
        """A table with a row a stream, and its `quantities` as columns.

        Returns
        -------
        DataFrame
            The stream is the index; where many sets of loads were given, their numbers come
            before it. ``attrs`` has the model, its seed and duration, and its notes.

        Examples
        --------
        >>> from qoslib.fluid import solve
        >>> from qoslib.port import PacketLimit, Port, Queue
        >>> from qoslib.traffic import Stream
        >>> port = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
        >>> frame = solve(port, [Stream("voice", 90e6), Stream("data", 30e6)]).to_frame()
        >>> frame.loc["data", "sent_bps"]
        np.float64(25000000.0)
        """
        import pandas as pd

        axes: list[typing.Any] = [range(length) for length in self.sent_pps.shape[:-1]]
        index = pd.MultiIndex.from_product([*axes, self.streams], names=self._dimensions())
        columns = {name: np.ravel(getattr(self, name)) for name in self.quantities}
        frame = pd.DataFrame(columns, index=index if axes else index.get_level_values(0))
        frame.attrs.update(self._said())
        return frame

    def to_xarray(self) -> "xr.Dataset":
        """The same as an xarray `Dataset`: the stream is its last dimension, loads come before.

        Returns
        -------
        Dataset
            A variable for each of the `quantities`.

        Raises
        ------
        ImportError
            If the package xarray is not installed.

        Examples
        --------
        >>> from qoslib.fluid import solve
        >>> from qoslib.port import PacketLimit, Port, Queue
        >>> from qoslib.traffic import Stream
        >>> port = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
        >>> data = solve(port, [Stream("voice", 90e6), Stream("data", 30e6)]).to_xarray()
        >>> data.sent_bps.sel(stream="data").item()
        25000000.0
        """
        try:
            import xarray as xr
        except ImportError:
            raise ImportError("to_xarray needs the package xarray: pip install xarray") from None

        dimensions = self._dimensions()
        variables = {name: (dimensions, getattr(self, name)) for name in self.quantities}
        return xr.Dataset(variables, {"stream": list(self.streams)}, self._said())

    def _dimensions(self) -> list[str]:
        axes = self.sent_pps.ndim - 1
        return [*(["load"] if axes == 1 else [f"load_{i}" for i in range(axes)]), "stream"]

    def _said(self) -> dict[str, typing.Any]:
        names = ("model", "duration_s", "seed", "interrupted", "notes", "without_delay")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    def __repr__(self) -> str:
        return str(self)

    def _tables(self) -> list[tables.Table]:
        with np.errstate(invalid="ignore", divide="ignore"):
            dropped = self.dropped_pps / self.offered_pps
        columns = {
            "offered": ("offered_bps", self.offered_bps),
            "sent": ("sent_bps", self.sent_bps),
            "dropped": ("dropped_share", dropped),
            "mean delay": ("delay_mean_s", self.delay_mean_s),
        }
        if self.histogram is not None:
            columns["p99 delay"] = ("delay_p99_s", self.delay_p99_s)
        if self.seed is not None:
            columns["max delay"] = ("delay_max_s", self.delay_max_s)
        if self.tcp is not None:
            columns |= {name.split("_")[0]: (name, getattr(self, name)) for name in SHOWN_OF_FLOWS}
        headings, cells = ["stream"], [list(self.streams)]
        for heading, (quantity, values) in columns.items():
            unit, shown = tables.in_unit(quantity, values)
            headings.append(f"{heading} [{unit}]" if unit else heading)
            cells.append([_range(shown[..., at]) for at in range(len(self.streams))])
        rows = [list(row) for row in zip(*cells, strict=True)]
        silent = (f"{name} has no delay: {why}" for name, why in self.without_delay.items())
        return [tables.Table(self._title(), headings, rows, (*self.notes, *silent))]

    def _title(self) -> str:
        said = [self.model]
        if self.sent_pps.ndim > 1:
            said.append(f"loads of shape {self.sent_pps.shape[:-1]}")
        if self.duration_s is not None:
            said.append(f"{self.duration_s:.4g} s")
        if self.seed is not None:
            said.append(f"seed {self.seed}")
        return f"Result ({', '.join([*said, *(['interrupted'] if self.interrupted else [])])})"


def _range(values: np.ndarray) -> str:
    """The text of a value, or of the least and the largest one."""
    there = values[np.isfinite(values)]
    if not there.size:
        return tables.number(np.nan)
    low, high = tables.number(there.min()), tables.number(there.max())
    return low if low == high else f"{low} to {high}"


#: What every model says of each stream.
QUANTITIES = tuple(
    f.name
    for f in fields(Result)
    if f.name.endswith(("_pps", "_bps", "_s")) and f.type is np.ndarray
)
#: Two digits after the point, or more of which the last is not 0: 99 is 0.99, 999 is 0.999.
QUANTILE = re.compile(r"delay_p(\d\d|\d{2,}[1-9])_s", re.ASCII)
SHOWN_QUANTILES = ("delay_p50_s", "delay_p99_s", "delay_p999_s")
COUNTS = tuple(
    f"{name}_{unit}"
    for unit in ("packets", "bytes")
    for name in ("offered", "sent", "dropped", "queued", "marked")
)
HEARD = ("jitter_s", "loss_run_packets")
OF_FLOWS = (
    "goodput_bps",
    "goodput_bytes",
    "retransmitted",
    "timeouts",
    "fast_recoveries",
    "dropped_in_host",
    "first_send_drops",
    "retransmit_drops",
    "finished_s",
)
SHOWN_OF_FLOWS = ("goodput_bps", "retransmitted")
