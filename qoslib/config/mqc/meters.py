"""Policers and shapers, with the bursts that a platform gives them."""

from qoslib import units
from qoslib.config.mqc.platform_defaults import PlatformDefaults
from qoslib.config.mqc.policies import Metered, Priority, Shape
from qoslib.config.mqc.weights import of_share_bps
from qoslib.config.source import ConfigurationError
from qoslib.config.values import Value
from qoslib.port import ExcessBurst, PeakRate, Policer, Shaper

__all__ = ["DISCARDING", "policer", "priority_policer", "shaper"]

#: Path in the policer -> the line, or the default, that says it.
Origins = list[tuple[str, Value | str | None]]
#: A shaper of the models never lets a frame go that its bucket cannot hold [B].
_FRAME_BYTES = 1518

#: What `drop` does to the packets of a class, whatever their rate is.
DISCARDING = Policer(units.kbps(8.0), _FRAME_BYTES, conform="drop")


def _burst_bytes(amount: Value | None, rate_bps: float, default_s: float) -> int:
    if amount is None:
        return max(int(units.octets(rate_bps * default_s)), 1)
    size = amount.value if amount.unit == "B" else units.octets(amount.value * rate_bps)
    if size < 1:
        raise ConfigurationError("the burst is below a byte", amount.line)
    return int(size)


def shaper(shape: Shape | None, share_bps: float, platform: PlatformDefaults) -> Shaper | None:
    """The shaper of a class."""
    if shape is None:
        return None
    rate_bps = of_share_bps(shape.rate, share_bps)
    burst = _burst_bytes(shape.committed, rate_bps, platform.number("shape_burst"))
    excess = 0
    if shape.excess and shape.excess.value:
        excess = _burst_bytes(shape.excess, rate_bps, 0.0)
    if shape.peak:
        excess = excess or burst
        rate_bps *= 1 + excess / burst
    return Shaper(rate_bps, max(burst + excess, _FRAME_BYTES))


def priority_policer(
    priority: Priority, share_bps: float, platform: PlatformDefaults
) -> tuple[Policer, Origins]:
    """The policer that `priority` brings along, which drops in congestion."""
    assert priority.rate is not None
    rate_bps = of_share_bps(priority.rate, share_bps)
    burst = _burst_bytes(priority.burst, rate_bps, platform.number("priority_burst"))
    origins: Origins = [
        ("rate_bps", priority.rate),
        ("burst_bytes", priority.burst or platform.row("priority_burst")),
    ]
    return Policer(rate_bps, burst, when="congested"), origins


def policer(made: Metered, share_bps: float, platform: PlatformDefaults) -> tuple[Policer, Origins]:
    """The policer of `police`."""
    assert made.rate is not None
    default_s, name = platform.number("police_burst"), platform.row("police_burst")
    rate_bps = of_share_bps(made.rate, share_bps)
    burst = _burst_bytes(made.burst, rate_bps, default_s)
    origins: Origins = [("rate_bps", made.rate), ("burst_bytes", made.burst or name)]
    excess: ExcessBurst | PeakRate | None = None
    if made.peak:
        peak_bps = of_share_bps(made.peak, share_bps)
        if peak_bps < rate_bps:
            raise ConfigurationError("the peak rate is below the committed rate", made.line)
        excess = PeakRate(peak_bps, _burst_bytes(made.excess, peak_bps, default_s))
        origins += [("excess.rate_bps", made.peak)]
        origins += [("excess.burst_bytes", made.excess or name)]
    elif "violate" in made.actions:
        given = made.excess if made.excess and made.excess.value else None
        size = _burst_bytes(given, rate_bps, default_s) if given else burst
        excess = ExcessBurst(size)
        origins += [("excess.burst_bytes", given or name)]
    actions = {"conform": "pass", "exceed": "drop", "violate": "drop"} | made.actions
    if excess is None:
        actions["violate"] = "drop"
    return Policer(rate_bps, burst, excess=excess, **actions), origins  # type: ignore[arg-type]
