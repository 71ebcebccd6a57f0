"""A scenario and a table of measurements as somebody may save them, and where they are loaded."""

from datetime import UTC, datetime

from traitlets import Bunch

from qoslib import measurements, units
from qoslib.explore.upload_widget import Loader
from qoslib.port import (
    Port,
    Queue,
    StrictPriority,
    TimeLimit,
)
from qoslib.scenario import Scenario
from qoslib.traffic import Poisson, Stream

HEADER = ",".join(measurements.COLUMNS)
LINES = (
    "mine,voice,latency,average,0.08 ms,0.08,ms,0.01,,,page 1,ok,,",
    "mine,data,drop_ratio,average,29 %,29,%,0.5,,,page 1,ok,,",
    "mine,video,sent,average,39 Mb/s,39.3,Mbit/s,0.5,,,page 2,ok,,",
    "mine,data,offered,configured,70 Mb/s,70,Mbit/s,0,,,page 2,ok,,",
)
CSV = "\n".join((HEADER, *LINES)).encode()
#: Name, load on the link with its 20 B a frame [Mb/s], frame [B] and room [s] of each class.
CLASSES = (("voice", 10, 200, 0.02), ("video", 40, 1200, 0.05), ("data", 70, 1500, 0.05))
#: A link that three classes overload, with strict priority.
OFFICE = Scenario(
    "office",
    Port(
        "uplink",
        units.mbps(100),
        tuple(
            Queue(name, TimeLimit(room_s, at="line"), priority=level)
            for level, (name, _, _, room_s) in enumerate(CLASSES)
        ),
        StrictPriority(),
        overhead_bytes=20,
    ),
    tuple(
        Stream(name, units.mbps(load) * frame / (frame + 20), frame, Poisson())
        for name, load, frame, _ in CLASSES
    ),
    duration_s=7.0,
    warmup_s=3.0,
    seed=1,
)


def loader(app):
    """The part of an explorer that takes files: a button, and what was said of the last file."""
    (found,) = (
        each
        for row in app.widget.children
        for each in getattr(row, "children", ())
        if isinstance(each, Loader)
    )
    return found


def upload(app, name, raw):
    file = {"name": name, "type": "", "size": len(raw), "content": memoryview(raw)}
    pick = loader(app).children[0]
    pick.value = (Bunch(file, last_modified=datetime.now(UTC)),)
