"""The explorer of a forwarder that counts packets: frame size, cap, cost of a byte, load."""

import numpy as np

from qoslib import fluid, packets, plots, units
from qoslib.explore.controls import button, row, slider
from qoslib.explore.explorer import Explorer
from qoslib.platforms import mx150
from qoslib.port import Chain

__all__ = ["PLAYED", "SIZES", "described", "frame_size", "start"]

#: Frame sizes of the lines, those of the published rows among them [B].
SIZES = sorted({*mx150.FRAMES, *np.geomspace(64, 1518, 40).round().astype(int).tolist()})
#: Frame sizes of the packet model's dots [B].
PLAYED = (64, 100, 128, 200, 256, 300, 360, 512, 1024, 1518)
#: Simulated time that the packet model leaves out, and its end [s].
WARMUP_S, END_S = units.ms(1), units.ms(3)


def frame_size() -> Explorer:
    """Sliders for the frame size, the packet cap, the cost of a byte and the load of the MX150.

    Lines are the fluid model. Dots are the packet model; they follow when a slider is let go.
    """
    at, published = start(), plots.rows("mx150_throughput")
    controls = {
        "frame": slider("Frame [bytes]", at["frame"], 64, 1518, 2),
        "cap": slider("Cap [million packets/s]", at["cap"], 1, 16, 0.005, digits=3),
        "byte": slider("Cost of a byte [ns]", at["byte"], 0, 1, 0.05, digits=2),
        "load": slider("Offered load [% of the lines]", at["load"], 1, 100, 1),
    }

    def draw(values, played):
        chain = described(values)
        forwarded = {
            "fluid": plots.Forwarded(SIZES, [_water(chain, size, values) for size in SIZES]),
            "packets": played or plots.Forwarded([], []),
        }
        now = values["frame"], _water(chain, round(values["frame"]), values)
        return plots.frame_size(float(mx150.FACTS.gap_bytes), forwarded, published, now)

    def play(values, tell):
        chain = described(values)
        counted = []
        for size in PLAYED:
            counted.append(_played(chain, size, values))
            tell(len(counted) * END_S, len(PLAYED) * END_S)
        return plots.Forwarded(PLAYED, counted)

    reset = button("Reset", lambda: app.move(**start()))
    app: Explorer = Explorer(controls, [*controls.values(), row(reset)], draw, play)
    return app


def start() -> dict:
    """What the controls begin at: the router of the published table."""
    return {
        "frame": 64,
        "cap": units.convert(float(mx150.FACTS.cap_pps), "packets/s", "Mpackets/s"),
        "byte": 0,
        "load": 100,
    }


def described(values: dict) -> Chain:
    """The router as the controls stand."""
    byte_s = units.convert(values["byte"], "ns", "s")
    return mx150.router(1 / units.convert(values["cap"], "Mpackets/s", "packets/s"), byte_s)


def _streams(size, values):
    return mx150.streams(size, units.convert(values["load"], "%", "1"))


def _water(chain, size, values):
    return fluid.solve(chain, _streams(size, values))


def _played(chain, size, values):
    streams = _streams(size, values)
    return packets.simulate(chain, streams, END_S, warmup_s=WARMUP_S, bins=1, progress=_silent)


def _silent(done_s, total_s):
    """No bar of its own: it is one of many runs, and a short one."""
