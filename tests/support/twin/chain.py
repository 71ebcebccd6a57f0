"""From a run to its record: counts and latencies packet by packet; chains; switches."""

from dataclasses import dataclass
from types import SimpleNamespace

from qoslib.port import Chain, Switch
from twin.clock import PS, whole_ps
from twin.port import PortTwin
from twin.traffic import Sender, sizes_of


@dataclass
class Record:
    """Numbers a stream, and `outcomes` in order: stream, arrival, departure, size, cause."""

    offered: list
    sent: list
    marked: list
    dropped: dict
    by_mark: dict
    latencies: list
    outcomes: list
    peaks: list
    tokens: list
    past: list
    pauses: int
    loss_runs: list
    events: list


def simulate(where, streams, duration_s, *, seed=0, warmup_s=0.0, bins=200):
    """Run a port, forwarder or chain; the record, or of a chain that of the whole and its hops."""
    warm_ps, end_ps = whole_ps(warmup_s), whole_ps(duration_s)
    edges = [warm_ps + (end_ps - warm_ps) * (i + 1) // bins for i in range(bins)]
    run = SimpleNamespace(seed=seed, edges=edges, warm_ps=warm_ps, end_ps=end_ps)
    if isinstance(where, Chain):
        return through_chain(where, streams, run)
    if isinstance(where, Switch):
        return at_switch(where, streams, run)
    senders = [Sender(i, stream, seed) for i, stream in enumerate(streams)]
    twin = played(where, streams, senders, run)
    return record_of(twin, range(len(streams)), run)


def begun(where, streams, senders, run, hop=0, labels=None):
    twin = PortTwin(where, streams, senders, run, hop, labels)
    # What came before the warm-up's end is not the largest of the first bin.
    if run.warm_ps:
        twin.edges.insert(0, run.warm_ps)
    return twin


def ended(twin, run):
    if run.warm_ps:
        del twin.notes.peaks[0], twin.notes.tokens[0]
    return twin


def played(where, streams, senders, run, hop=0, labels=None):
    twin = begun(where, streams, senders, run, hop, labels)
    twin.run(run.end_ps)
    return ended(twin, run)


def at_switch(switch, streams, run):
    """Port by port: of events at one time those of the port listed first, and one memory."""
    twins, members = [], switch.members(streams)
    for number, (port, mine) in enumerate(zip(switch.ports, members, strict=True)):
        senders = [Sender(i, streams[i], run.seed) for i in mine]
        twins.append(begun(port, [streams[i] for i in mine], senders, run, number))
    for twin in twins:
        twin.sharing = [queue for each in twins for queue in each.queues]
        twin.closed_pools = twins[0].closed_pools
    while (first := min(twins, key=PortTwin.coming)).coming() < run.end_ps:
        first.play()
    for twin in twins:
        twin.settle(run.end_ps)
    return [record_of(ended(t, run), m, run) for t, m in zip(twins, members, strict=True)]


def record_of(twin, members, run):
    notes = twin.notes

    def per_stream(packets):
        streams = [packet.stream for packet in packets]
        return [streams.count(member) for member in members]

    outcomes = [f for f in notes.outcomes if f.departure is not None]
    sent = [f for f in outcomes if run.warm_ps <= f.departure <= run.end_ps]
    lost = [f for f in notes.outcomes if f.departure is None and f.at >= run.warm_ps]
    offered = [p for p in notes.offered if p.arrival >= run.warm_ps]
    causes = {f.cause for f in lost}
    base_ps = twin.base_ps
    return Record(
        offered=per_stream(offered),
        sent=per_stream([f.packet for f in sent]),
        marked=per_stream([packet for at, packet in notes.marked if at >= run.warm_ps]),
        dropped={c: per_stream([f.packet for f in lost if f.cause == c]) for c in causes},
        by_mark={
            mark: per_stream([f.packet for f in sent if f.packet.label == mark])
            for mark in {f.packet.label for f in sent}
        },
        latencies=[
            [f.departure - f.packet.arrival + base_ps for f in sent if f.packet.stream == m]
            for m in members
        ],
        outcomes=[
            (members.index(f.packet.stream), f.packet.arrival, f.departure, f.packet.size, f.cause)
            for f in notes.outcomes
        ],
        peaks=notes.peaks,
        tokens=notes.tokens,
        past=[
            [
                per_stream([p for p in offered if low <= p.arrival < high])
                for low, high in zip([run.warm_ps, *run.edges], run.edges, strict=False)
            ],
            [
                per_stream([f.packet for f in sent if low < max(f.departure, f.at + 1) <= high])
                for low, high in zip([-1, *run.edges], run.edges, strict=False)
            ],
            [
                per_stream([f.packet for f in lost if low <= f.at < high])
                for low, high in zip([run.warm_ps, *run.edges], run.edges, strict=False)
            ],
        ],
        loss_runs=[
            loss_runs(notes, member, run.warm_ps) if distinct(sizes_of(stream)) else None
            # Behind the streams a TCP run has its hosts.
            for member, stream in zip(members, twin.streams, strict=False)
        ],
        pauses=sum(at >= run.warm_ps for at in notes.pauses),
        events=events_of(notes, list(members)),
    )


def distinct(sizes):
    """Whether each is there once: a mix may have a size twice, and the engine counts apart."""
    return len(set(sizes)) == len(sizes)


def loss_runs(notes, stream, warm_ps):
    """Runs of losses: of each frame size, one ends with an arrival that causes no loss."""
    runs, numbers, last = 0, {}, {}
    for at, is_loss, packet in notes.in_order:
        if at < warm_ps or packet.stream != stream:
            continue
        size = packet.size
        if is_loss:
            runs += numbers.get(size, 0) > last.get(size, -1) + 1
            last[size] = numbers.get(size, 0)
        else:
            numbers[size] = numbers.get(size, 0) + 1
    return runs


def events_of(notes, members):
    """Columns of the event record; packets are numbered in the order of their arrival here."""
    numbers = {id(packet): number for number, packet in enumerate(notes.offered)}
    return {
        "time_s": [float(event.time) / PS for event in notes.events],
        "kind": [event.kind for event in notes.events],
        "packet": [numbers[id(event.packet)] for event in notes.events],
        "stream": [members.index(event.packet.stream) for event in notes.events],
        "queue": [event.queue for event in notes.events],
        "position": [event.position for event in notes.events],
        "queue_packets": [event.length for event in notes.events],
        "frame_bytes": [event.packet.size for event in notes.events],
        "cause": [event.cause for event in notes.events],
        "tokens_share": [event.tokens for event in notes.events],
        "excess_share": [event.excess for event in notes.events],
        "colour": [event.colour for event in notes.events],
        "mark": [event.mark for event in notes.events],
        "dropper": [event.early for event in notes.events],
        "guaranteed": [event.guaranteed for event in notes.events],
        "scheduler": [event.values for event in notes.events],
        "strict": [event.strict for event in notes.events],
        "lender": [event.lender for event in notes.events],
        "full_s": [event.full for event in notes.events],
        "turn": [event.turn for event in notes.events],
        "marked": [event.marked for event in notes.events],
        "closed": [event.closed for event in notes.events],
        "asked": [event.asked for event in notes.events],
        "order_s": [event.order for event in notes.events],
    }


def through_chain(chain, streams, run):
    """Hop by hop: what leaves one, whole, is what arrives at the next."""
    on_the_way = {}
    labels = [[stream.label] for stream in streams]
    hops, through = [], [[] for _ in streams]
    for number, hop in enumerate(chain.hops):
        members = [i for i, s in enumerate(streams) if not hop.streams or s.name in hop.streams]
        senders = []
        for i in members:
            fed = on_the_way.pop(i, None)
            stream = streams[i] if fed is None else streams[i].replace(access_bps=None)
            senders.append(Sender(i, stream, run.seed, fed))
        mine = [labels[i] for i in members]
        twin = played(hop.at, [streams[i] for i in members], senders, run, number, mine)
        hops.append(record_of(twin, members, run))
        for i in members:
            on_the_way[i] = []
            through[i] = []
            labels[i] = twin.labels_after(streams[i], labels[i])
        for outcome in twin.notes.outcomes:
            if outcome.departure is not None:
                packet, i = outcome.packet, outcome.packet.stream
                out_ps = outcome.departure + twin.base_ps
                on_the_way[i].append((out_ps, packet.size, packet.sent_first, packet.label))
                if run.warm_ps <= outcome.departure <= run.end_ps:
                    through[i].append(out_ps - packet.sent_first)
    return hops, through
