"""Whatever is read, it is read or refused in one clear error, soon: random damage by the thousand.

2,000 tries in every test, 100,000 under `make soak` (ten for each of its runs).
"""

import contextlib
import io
import os
import subprocess
import sys
from random import Random

import pytest

from damage import any_bytes, cut, damaged_csv, damaged_json
from outputs import DAMAGED
from qoslib import __main__, compare, lessons, measurements
from qoslib.explore.upload import Loaded
from qoslib.platforms import PLATFORMS, platform
from qoslib.port import Chain, Forwarder, Hop, PacketLimit, Port, Queue, StrictPriority
from qoslib.record import Record, from_json
from qoslib.scenario import Scenario
from qoslib.traffic import Poisson, Stream
from records import EXAMPLES
from refusals import clear, refusal
from saved import CSV, OFFICE, loader, upload
from soak import SOAK

pytestmark = pytest.mark.soak

#: Of 2,000 tries in a test, or 100,000 under `make soak`, how many go to each reader.
TRIES = {"json": 900, "csv": 400, "upload": 300, "explorer": 200, "command": 200}
assert sum(TRIES.values()) == 2_000

QUEUES = (Queue("voice", PacketLimit(20)), Queue("data", PacketLimit(20), priority=1))
PORT = Port("port", 1e7, QUEUES, StrictPriority())
STREAMS = (Stream("voice", 2e6, 200), Stream("data", 9e6, arrivals=Poisson()))
SMALL = Scenario("small", PORT, STREAMS, 0.05, 0.01)
ENGINE = Forwarder("cpu", QUEUES[0], 1e-4)
CHAIN = SMALL.replace(network=Chain("chain", (Hop(ENGINE), Hop(SMALL.network))))
PUBLISHED = [next(iter(platform(name).experiments().values())) for name in PLATFORMS]
SCENARIOS = [SMALL, CHAIN, *(each.scenario for each in PUBLISHED if not each.hosts)]

DOCUMENTS = [each.to_json().encode() for each in (*EXAMPLES, SMALL, CHAIN)]
UPLOADS = [each.to_json().encode() for each in SCENARIOS]
SHOWN = [each.encode() for each in DAMAGED.values()]
TABLES = [CSV, (measurements.folder() / "m120_counters.csv").read_bytes()]


@pytest.fixture
def seed(pytestconfig):
    """The same tries every time; under `make soak` those of the seed that pytest is given."""
    return pytestconfig.getoption("hypothesis_seed") or 0


@pytest.fixture
def tries(request, seed):
    """So many sources of chance for a reader, each said where its try fails."""

    def of(reader):
        number = TRIES[reader] * SOAK * 10 // 2_000 if SOAK else TRIES[reader]
        for each in range(number):
            yield Random(f"{seed} {reader} {each}")

    return of


def same_again(raw):
    """A description that is read is written and read again as it is."""
    made = from_json(raw.decode("utf-8", "surrogateescape"))
    assert isinstance(made, Record)
    assert from_json(made.to_json()) == made


def test_json_of_any_record(tries):
    refused = 0
    for random in tries("json"):
        damage = random.choice((damaged_json, damaged_json, cut, any_bytes))
        refused += bool(refusal(same_again, damage(random.choice(DOCUMENTS), random)))
    assert refused > 100


def test_tables(tries, tmp_path):
    path = tmp_path / "table.csv"

    def read(raw):
        path.write_bytes(raw)
        frame = measurements.load(path)
        assert tuple(frame.columns) == measurements.COLUMNS

    refused = 0
    for random in tries("csv"):
        damage = random.choice((damaged_csv, damaged_csv, cut, any_bytes))
        refused += bool(refusal(read, damage(random.choice(TABLES), random)))
    assert refused > 100


def picked(random):
    """A file as somebody may pick it: its name and what it holds."""
    if random.random() < 0.5:
        damage = random.choice((damaged_json, damaged_json, damaged_json, cut))
        return "mine.json", damage(random.choice(UPLOADS), random)
    if random.random() < 0.3:
        name = random.choice(("mine.txt", "mine.json", "mine.xml", "mine"))
        return name, random.choice((cut, any_bytes))(random.choice(SHOWN), random)
    damage = random.choice((damaged_csv, damaged_csv, damaged_csv, cut))
    return "mine.csv", damage(random.choice(TABLES), random)


def test_uploads_are_kept_whole_or_not_at_all(tries):
    held = Loaded(SMALL)
    for random in tries("upload"):
        before = held.scenario, held.measured
        name, raw = picked(random)
        if refusal(lambda raw, name=name: held.take(name, raw), raw):
            assert (held.scenario, held.measured) == before or held.measured is before[1]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # numbers near the ends of a double
def test_an_explorer_goes_on_after_any_upload(tries):
    app = lessons.your_network.explorer(OFFICE)
    said = loader(app).children[1]
    for random in tries("explorer"):
        before, (name, raw) = app.summary, picked(random)
        assert refusal(lambda raw, name=name: upload(app, name, raw), raw) == ""
        if "alert" in said.value:
            clear(said.value, raw)
            assert app.summary == before
        assert app.widget._alert.value == ""
    app.move(all=50)
    app.close()


ARGUMENTS = (
    "score",
    "--json",
    "--full",
    "--store",
    "--st",
    "--js",
    "-h",
    "--",
    "-",
    "",
    "--fresh",
    "--store=",
)
ARGUMENTS += ("--json=1", "x" * 5_000, "\udcff", "\0", "-x", "score score", "--STORE", "=1+1")


def test_the_command_line(tries, monkeypatch, tmp_path):
    kept = tmp_path / "scoreboard.csv"
    board = compare.Scoreboard((), (), {}, ())
    monkeypatch.setattr(compare, "score", lambda *_: board)
    monkeypatch.setattr(compare, "stored_scoreboard", lambda: board)
    monkeypatch.setattr(compare, "text", lambda _: "")
    monkeypatch.setattr(measurements, "folder", lambda: tmp_path / "measurements")
    for random in tries("command"):
        given = random.choices(ARGUMENTS, k=random.randrange(5))
        if random.random() < 0.5:
            given = ["score", *given]
        said = io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            try:
                code, asked = __main__.main(given), set(given)
            except SystemExit as stop:
                code, asked = stop.code, set()
        assert code == 0 or (code == 2 and "error: " in said.getvalue()), given
        assert kept.exists() == ("--store" in asked), given
        kept.unlink(missing_ok=True)


def test_whole_replays_are_not_stored(capsys):
    with pytest.raises(SystemExit, match="2"):
        __main__.main(["score", "--full", "--store"])
    assert "--store keeps the short runs" in capsys.readouterr().err


@pytest.mark.parametrize("given", [[b"score", b"--st"], [b"score", b"\xff\xfe", b"x" * 100_000]])
def test_the_command_line_of_a_real_process(given):
    command = [os.fsencode(sys.executable), b"-m", b"qoslib", *given]
    done = subprocess.run(command, capture_output=True, timeout=60)
    assert done.returncode == 2
    assert b"unrecognized arguments" in done.stderr
