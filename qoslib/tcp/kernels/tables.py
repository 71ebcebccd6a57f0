"""The records that hosts and flows become: one row a flow, a host, a segment of a window.

Windows and counts are in packets, times in picoseconds.
"""

from typing import NamedTuple

import numpy as np

from qoslib.packets.kernels.tables import Columns, table

FLOW = table(
    draws=True,
    # Its first port, its row and packet class there, and the wire from its host to there.
    place=Columns("port row wire"),
    window=Columns(
        "host first mask una next end flight lost limit limited state recover", "cwnd ssthresh"
    ),
    scoreboard=Columns("order scan after duplicates again log_first log_mask"),
    acknowledgements=Columns("ack_first ack_mask ack_head acks held"),
    receiver=Columns("expected highest unacked per_ack ack_delay_ps return_ps", "lost_share"),
    ecn=Columns("feedback reports"),
    timer=Columns(
        "start_ps stop_ps rto_ps least_rto_ps backoff srtt_ps var_ps last_rtt_ps min_rtt_ps"
    ),
    pacing=Columns("burst paced pace_ps pace_gap_ps wake_ps pace_first nic_ps nic_fraction"),
    recovery=Columns(
        "recovery duplicate bound repeats critical given_up threshold lost_here"
        " prr_delivered prr_out prr_flight reduced_upto marks"
    ),
    law=Columns("law fast friendly scaling epoch_ps counts_acks", "beta c"),
    validation=Columns("by_round most_out used_upto"),
    hystart=Columns(
        "hystart delay_sign train_sign low samples low_ps high_ps gap_ps sampled round_end"
        " round_ps train_ps round_rtt_ps",
        "share train_share",
    ),
    cubic=Columns(real="w_max w_est k_s prior"),
    dctcp=Columns(
        "window_end reported reported_marked saw_mark windows transition target_ps averaged_ps"
        " yielded_ps most_burst",
        "gain_share marked_share",
    ),
    htcp=Columns(
        "modes bandwidth_ps bandwidth_count min_srtt_ps max_srtt_ps",
        "low_s beta_low beta_high switch alpha max_rate old_max_rate mean_rate",
    ),
    delivery=Columns("departures delivered delivered_ps first_ps app_limited"),
    bbr=Columns(
        "phase phase_ps cycles rounds round_upto rate_round full full_rounds"
        " probe_every_ps probe_packets probed_ps probed_round conserves before"
        " bandwidths least_ps min_at_ps counted counted_from_ps bunch old_bunch",
        "rate full_rate pace_rate startup_gain window_gain gain",
    ),
    counters=Columns(
        "retransmitted timeouts recoveries dropped_in_host first_send_drops retransmit_drops"
        " finished_ps received received_before"
    ),
)

HOST = table(
    draws=True,
    line=Columns("line_ps line_fraction"),
    netem=Columns("limit bursts_first bursts_mask bursts_head bursts delay_ps jitter_ps last_ps"),
    pacing=Columns("htb free_ps"),
)

#: A segment's place in the window: what the sender knows, and what the receiver has since when.
SEGMENT = table("state tries order sent_ps got got_ps")

#: What a BBR flow notes of a segment when it leaves.
DEPARTURE = table("delivered delivered_ps first_ps app_limited")

#: Packets on their way to a port, in the order in which they arrive: from a host, or from another
#: port after its base delay. They are a ring of `WAY`s, and a row of the port's sources; a port of
#: -1 is behind the last.
WIRE = table("port row first mask head waiting base_ps from_host")

#: A packet on its way, and what it will be there; behind the last port its stream.
WAY = table("arrival_ps tag", indices="packet_class")

#: A segment's way through several ports: when it came to the first, and its own tag. Row 0 holds
#: the place of the next free one.
TRIP = table("since_ps tag")

#: What a packet class of one of several ports is: of a flow or -1, of a stream; the wire that it
#: goes on, or -1, and what it is there; how many marks of it are known.
ROUTE = table("flow stream wire packet_class marks")

#: What a row of the sources of one of several ports is, and which of them.
SOURCE = table("kind number")

#: An acknowledgement on its way back: all before `upto`, the packet that made it leave, and what
#: it says of marks.
ACK = table("arrival_ps upto tag echo")

#: What is noted of a flow at the end of a bin.
NOTE = table("flight last_rtt_ps received", "cwnd ssthresh")

#: What happens to a flow, and how it stands after that: a segment leaves the socket, an
#: acknowledgement comes in, with the segment that made it leave, or the timer runs out.
FLOW_EVENT = table("kind time_ps flow segment tries una flight state", "cwnd ssthresh")

#: How many of them there is still room for.
ROOM = table("left")

#: How a table that grows is used: so many places so far, those of its largest ring, how many
#: entries an event adds at most; the first row says whether any table is short of places.
PLACE = table("used largest most short")


class Senders(NamedTuple):
    """Flows and hosts of a run: the tables, and what is under way."""

    flows: np.ndarray
    hosts: np.ndarray
    segments: np.ndarray
    departures: np.ndarray
    log: np.ndarray
    acks: np.ndarray
    wires: np.ndarray
    ways: np.ndarray
    trips: np.ndarray
    burst_ends_ps: np.ndarray
    places: np.ndarray
    pace_ps: np.ndarray
    rates: np.ndarray
    notes: np.ndarray
    events: np.ndarray
    room: np.ndarray


class Network(NamedTuple):
    """What several ports have beside their own tables, and delays over all that a stream passes.

    `routes` and `sources` stand behind one another like the packet classes and streams of ports.
    """

    routes: np.ndarray
    sources: np.ndarray
    delays: np.ndarray
    histogram: np.ndarray
    sent: np.ndarray
