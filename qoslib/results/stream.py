"""One stream of a result."""

import math
import re
import typing
from dataclasses import dataclass

import numpy as np

from qoslib import tables
from qoslib.quality import G711, Call, Codec, played
from qoslib.record import fail

if typing.TYPE_CHECKING:
    from qoslib.results.result import Result

__all__ = ["StreamResult"]

NOTHING_SENT = "nothing was sent"
NO_HISTOGRAM = "this {!r} result has no histogram of delays"
NO_COUNTS = "this {!r} result counts no single packets"
NOT_TWO = "fewer than two packets were sent"
NO_LOSS = "nothing was dropped"
NO_FLOW = "the stream is no TCP flow"
NOT_FINISHED = "the transfer was not finished"


@dataclass(frozen=True, repr=False)
class StreamResult(tables.Tabular):
    """One stream of a `Result`: every quantity of it as a number, or None where there is none.

    Attributes
    ----------
    result : Result
    name : str
        The stream.

    Notes
    -----
    Every quantity that a `Result` has as an array is an attribute here: `offered_bps`, `sent_pps`,
    `delay_mean_s`, `delay_p99_s` and any other quantile, `sent_packets`, `goodput_bps`, ... Where
    the result holds many sets of loads, it is an array of their shape.

    Examples
    --------
    >>> from qoslib.fluid import solve
    >>> from qoslib.port import PacketLimit, Port, Queue
    >>> from qoslib.traffic import Stream
    >>> port = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
    >>> voice = solve(port, [Stream("voice", 50e6)])["voice"]
    >>> voice.sent_bps, voice.delay_p99_s, voice.why_missing("delay_p99_s")
    (50000000.0, None, "this 'fluid' result has no histogram of delays")
    """

    result: "Result"
    name: str

    def __getattr__(self, quantity: str) -> typing.Any:
        # What copies and pickles ask for before there are any fields is not here.
        if quantity.startswith("_") or quantity in ("result", "name"):
            raise AttributeError(quantity)
        at = self.result.streams.index(self.name)
        values = getattr(self.result, quantity)
        if quantity == "dropped_by_pps":
            return {cause: _plain(each[..., at]) for cause, each in values.items()}
        if not isinstance(values, np.ndarray):
            allowed = ", ".join(self.result.quantities)
            raise AttributeError(f"a stream has no {quantity!r}; allowed: {allowed}")
        return _plain(values[..., at])

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.result.quantities})

    def call(
        self,
        codec: Codec = G711,
        buffer_s: float | None = None,
        elsewhere_s: float = 0.0,
    ) -> Call:
        """The stream as a telephone call, by the E-model (ITU-T G.107).

        Parameters
        ----------
        codec : Codec
            `qoslib.quality.G711`, `G729` or another.
        buffer_s : float or None
            Playout buffer: how much later than the fastest packet a packet may come [s]. None
            takes the one with the best score.
        elsewhere_s : float
            Delay of the rest of the path [s].

        Returns
        -------
        Call
            Its delay from mouth to ear, its losses, R and MOS.

        Raises
        ------
        ValueError
            If this result has no delays of single packets: the model is fluid, or nothing was
            sent.

        Examples
        --------
        >>> from qoslib import PacketLimit, Port, Queue, Scenario, Stream, run
        >>> from qoslib.quality import G729
        >>> port = Port("access", 1e6, (Queue("all", PacketLimit(40)),))
        >>> streams = Stream("voice", 8e4, frame_bytes=200), Stream("data", 1e6, 1500, "poisson")
        >>> voice = run(Scenario("busy", port, streams, duration_s=60.0))["voice"]
        >>> round(voice.mos, 1), round(voice.call(G729, elsewhere_s=0.05).mos, 1)
        (2.6, 1.7)
        """
        counts = self.result.histogram
        if counts is None or not self.sent_pps:
            why = self.why_missing("delay_p50_s")
            raise ValueError(f"stream {self.name!r} is no call: {why}")
        at = self.result.streams.index(self.name)
        lost_ratio, run_packets = self.drop_ratio, self.loss_run_packets or 1.0
        ends_s = np.clip(counts.edges_s, self.delay_min_s, self.delay_max_s)
        return played(
            ends_s, counts.counts[at], lost_ratio, run_packets, codec, buffer_s, elsewhere_s
        )

    @property
    def mos(self) -> float | None:
        """Mean opinion score as a telephone call with G.711; None of a fluid model.

        It is that of `call()`: as if the network ended here.
        """
        return self.call().mos if self.result.histogram is not None and self.sent_pps else None

    def why_missing(self, quantity: str) -> str:
        """Why this quantity is None, as a text; empty where there is a value.

        Parameters
        ----------
        quantity : str

        Returns
        -------
        str

        Raises
        ------
        ValueError
            If a stream has no such quantity.

        Examples
        --------
        >>> from qoslib.fluid import solve
        >>> from qoslib.port import PacketLimit, Port, Queue
        >>> from qoslib.traffic import Stream
        >>> port = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
        >>> solve(port, [Stream("idle")])["idle"].why_missing("delay_mean_s")
        'nothing was sent'
        """
        if not isinstance(quantity, str) or not hasattr(self, quantity):
            fail("quantity", quantity, ", ".join(self.result.quantities))
        if getattr(self, quantity) is not None:
            return ""
        result = self.result
        if re.fullmatch(r"delay_\w+_s", quantity):
            if self.sent_pps == 0:
                return NOTHING_SENT
            without = NO_HISTOGRAM.format(result.model) if result.histogram is None else ""
            return result.without_delay.get(self.name, without or NOTHING_SENT)
        if quantity in ("jitter_s", "loss_run_packets") and result.heard is not None:
            return NOT_TWO if quantity == "jitter_s" else NO_LOSS
        if quantity != "goodput_bytes" and quantity.endswith(("_packets", "_bytes", "jitter_s")):
            return NO_COUNTS.format(result.model)
        flow = result.tcp is not None and self.name in result.tcp.flows
        return NOT_FINISHED if flow else NO_FLOW

    def __repr__(self) -> str:
        return str(self)

    def _tables(self) -> list[tables.Table]:
        rows = [[name, self._said(name)] for name in self.result.quantities]
        title = f"Stream {self.name!r} ({self.result.model})"
        return [tables.Table(title, ["quantity", "value"], rows)]

    def _said(self, quantity: str) -> str:
        value = getattr(self, quantity)
        if value is None:
            return f"None: {self.why_missing(quantity)}"
        if isinstance(value, np.ndarray):
            return f"{tables.number(value.min())} to {tables.number(value.max())}"
        return tables.number(value)


def _plain(value: typing.Any) -> typing.Any:
    """A number as Python's own, None for NaN; an array as it is."""
    if np.ndim(value):
        return value
    number = value.item()
    return None if isinstance(number, float) and math.isnan(number) else number
