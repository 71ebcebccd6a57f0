"""Behind the port: packets that are lost at random, and ACKs that are held back."""

import numpy as np
import pytest

from agreement import quiet
from qoslib import tcp
from qoslib.flows import Bbr, Cubic, Flow, Host, HTcp, Reno
from qoslib.port import PacketLimit, Port, Queue

MSS, FRAME = 1460, 1500
BITS = 8 * FRAME


def run(flow, rate_bps=10e9, duration_s=100.0, **options):
    port = Port("line", rate_bps, (Queue("all", PacketLimit(1000)),))
    host = Host("host", rate_bps, (flow,))
    return tcp.simulate(port, [host], duration_s, progress=quiet, **options)


RENO = Reno()


def flow(law=RENO, round_trip_s=0.02, **more):
    sizes = {"mss_bytes": MSS, "frame_bytes": FRAME}
    return Flow("a", round_trip_s, law, **sizes, **more)


@pytest.mark.parametrize("share", [1e-3, 3e-3, 1e-2])
def test_random_loss_gives_the_window_of_the_square_root_law(share):
    """W = c / sqrt(p): c is 1.22 for losses at equal distances (Mathis et al. 1997).

    It is 1.31 for losses that are independent of each other (Ott, Kemperman and Mathis 1996).
    """
    result = run(flow(lost_share=share), duration_s=300.0, warmup_s=20.0)
    window = result.sent_bps[0] * 0.02 / BITS
    lost = result.tcp.retransmitted[0] / result.packets.sent[0]
    assert 1.2 < window * lost**0.5 < 1.33
    assert result.packets.lost[0] == 0


@pytest.mark.parametrize(
    "law", [Reno(), Cubic(), HTcp(), Bbr()], ids=lambda law: type(law).__name__
)
def test_what_is_lost_behind_the_port_is_sent_again(law):
    """So many of the packets, to three standard deviations; and the transfer arrives whole."""
    share, packets = 0.02, 20_000
    transfer = flow(law, 0.005, lost_share=share, transfer_bytes=packets * MSS)
    result = run(transfer, 100e6, 60.0)
    record = result.tcp
    assert record.goodput_bytes[0] == packets * MSS
    assert np.isfinite(record.finished_s[0])
    sent = result.packets.sent[0]
    lost = sent - packets
    assert lost == pytest.approx(sent * share, abs=3 * (sent * share) ** 0.5)
    assert record.retransmitted[0] >= lost
    assert record.first_send_drops[0] == record.retransmit_drops[0] == 0


def test_draws_come_from_the_runs_seed():
    lossy = flow(lost_share=0.01)
    first, again, other = (run(lossy, duration_s=5.0, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first.tcp.window_packets, again.tcp.window_packets)
    assert not np.array_equal(first.tcp.window_packets, other.tcp.window_packets)


def test_bbr_keeps_the_rate_that_reno_loses():
    """Cardwell et al. 2016, figure 8: at 1 % of loss BBR fills 100 Mb/s over 100 ms.

    Reno and CUBIC have below a tenth of it there.
    """

    def rate_bps(law):
        lossy = flow(law, 0.1, lost_share=0.01)
        return run(lossy, 100e6, 60.0, warmup_s=20.0).tcp.goodput_bps[0]

    assert rate_bps(Bbr()) > 90e6
    assert rate_bps(Reno()) < 10e6
    assert rate_bps(Cubic()) < 10e6


@pytest.mark.parametrize("held", [2, 3, 5])
def test_an_ack_waits_since_the_first_packet_that_it_is_for(held):
    """RFC 5681, section 4.2. The second packet, 12 ms later, does not make the wait longer."""
    sender = flow(round_trip_s=0.1, segments_per_ack=held, ack_delay_s=0.05, transfer_bytes=2 * MSS)
    result = run(sender, 1e6, 2.0)
    # Two serialisations of the first packet, on the host's line and on the port's.
    first_s = 2 * BITS / 1e6
    waits_s = BITS / 1e6 if held == 2 else 0.05
    assert result.tcp.finished_s[0] == pytest.approx(first_s + 0.1 + waits_s, abs=1e-9)


def test_the_last_packet_is_acknowledged_after_the_delay():
    sender = flow(round_trip_s=0.1, segments_per_ack=2, ack_delay_s=0.04, transfer_bytes=3 * MSS)
    result = run(sender, 1e6, 2.0)
    assert result.tcp.finished_s[0] == pytest.approx(4 * BITS / 1e6 + 0.1 + 0.04, abs=1e-9)


def test_losses_that_cannot_be():
    with pytest.raises(ValueError, match=r"lost_share is 1.0; allowed: at least 0 and below 1"):
        flow(lost_share=1.0)


def test_the_fluid_loses_nothing_at_random():
    port = Port("line", 100e6, (Queue("all", PacketLimit(100)),))
    said = "Flow 'a' lost_share is 0.01; allowed: 0; the packet model loses packets at random"
    with pytest.raises(ValueError, match=said):
        tcp.solve(port, [Host("h", 1e9, (flow(lost_share=0.01),))], 1.0)
