"""Tables load with units and source; whatever is wrong in one is said once, with its place."""

import hashlib
import io
import tomllib

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgers import MEASUREMENTS
from qoslib.measurements import (
    COLUMNS,
    MeasurementError,
    Measurements,
    catalogue,
    load,
    published,
    rows,
    sources,
)
from qoslib.measurements.table import HEADER, MAX_BYTES, WANTED
from qoslib.units import UNITS

ROW = "base,CS1,latency,average,4.2 ms,4.2,ms,0.05,,,my table row 1,ok,,"
TABLES = sorted(path.stem for path in MEASUREMENTS.glob("*.csv"))


@pytest.fixture
def own(tmp_path):
    """Write a table of one's own and return its path."""

    def write(*lines, header=HEADER, encoding="utf-8"):
        path = tmp_path / "own.csv"
        path.write_bytes("\n".join((header, *lines, "")).encode(encoding))
        return path

    return write


def changed(**cells):
    row = dict(zip(COLUMNS, ROW.split(","), strict=True)) | cells
    return ",".join(row.values())


def test_every_table_has_a_passport_and_every_passport_a_table():
    assert sorted(sources()) == [f"{name}.csv" for name in TABLES]


@pytest.mark.parametrize("name", TABLES)
def test_a_passport_tells_the_origin_and_fits_its_file(name):
    passport = sources()[f"{name}.csv"]
    for key in ("title", "publisher", "date", "licence", "places", "transcribed"):
        assert passport[key], key
    raw = (MEASUREMENTS / f"{name}.csv").read_bytes()
    assert passport["sha256"] == hashlib.sha256(raw).hexdigest(), "run tools/passports.py"
    assert passport["rows"] == len(load(name))


@pytest.mark.parametrize("name", TABLES)
def test_plain_records_are_the_rows_of_the_table(name):
    frame, plain = load(name), rows(name)
    assert [str(row) for row in plain] == [str(row) for row in Measurements.of(frame, "table")]
    assert plain.to_frame().equals(frame)
    assert (plain.source, plain.units) == (frame.attrs["source"], frame.attrs["units"])


def test_a_part_of_a_table_is_taken_as_plain_records_and_a_wrong_one_is_refused():
    frame = load("m120_latency").assign(colour="red")
    (row,) = Measurements.of(frame[frame["statistic"] == "up_to"], "table")
    assert (row.stream, row.value, row.interval_s) == ("CS1", 84.0, None)
    with pytest.raises(ValueError, match=r"columns of table are .*; allowed: what measure"):
        Measurements.of(frame.drop(columns="unit"), "table")
    with pytest.raises(ValueError, match="table is 7; allowed: a DataFrame or Measurements"):
        Measurements.of(7, "table")


def test_a_table_without_rows_keeps_its_columns():
    assert tuple(Measurements(()).to_frame().columns) == COLUMNS


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_plain_text_in_the_order_of_the_header(name):
    raw = (MEASUREMENTS / f"{name}.csv").read_bytes()
    assert raw.startswith(HEADER.encode() + b"\n")
    assert raw.endswith(b"\n")
    assert b"\r" not in raw


@pytest.mark.parametrize("name", TABLES)
def test_a_table_loads_with_types_units_and_source(name):
    frame = load(name)
    assert tuple(frame.columns) == COLUMNS
    assert {str(frame[column].dtype) for column in ("value", "half_width", "low")} == {"float64"}
    assert frame.attrs["source"]["file"] == f"{name}.csv"
    for quantity, units in frame.attrs["units"].items():
        assert set(units) == set(frame.loc[frame["quantity"] == quantity, "unit"]) <= set(UNITS)


def test_columns_and_quantities_are_explained():
    with open(MEASUREMENTS.parent / "sources.toml", "rb") as text:
        explained = tomllib.load(text)
    assert tuple(explained["columns"]) == COLUMNS
    used = {quantity for name in TABLES for quantity in load(name)["quantity"]}
    assert used == set(explained["quantities"])


def test_catalogue_lists_every_table():
    listed = catalogue()
    assert list(listed["name"]) == TABLES
    assert (listed["rows"] > 0).all()
    m120 = listed.set_index("name").loc["m120_latency"]
    assert m120["publisher"] == "Juniper Networks"
    assert m120["quantities"] == "expected_latency, latency"


def test_the_late_queue_is_there():
    frame = load("m120_latency")
    late = frame[(frame["experiment"] == "base") & (frame["stream"] == "CS1")]
    assert late[["statistic", "value", "unit"]].to_numpy().tolist() == [["up_to", 84.0, "ms"]]


def test_a_file_of_your_own_loads_by_path(own):
    path = own(ROW, changed(experiment="other", low="4", high="5", statistic="range"))
    for table in (path, str(path)):
        frame = load(table)
        assert frame["value"].tolist() == [4.2, 4.2]
        assert frame.attrs["source"] == {"file": "own.csv", "title": "own"}
        assert frame.attrs["units"] == {"latency": ["ms"]}


def test_spreadsheets_may_write_a_byte_order_mark_and_their_own_line_ends(own):
    assert len(load(own(ROW + "\r", encoding="utf-8-sig"))) == 1


def test_text_stays_text(own):
    frame = load(own(changed(stream="=1+1", as_printed="@SUM(A1)", place="__import__('os')")))
    assert frame.loc[0, ["stream", "as_printed", "place"]].tolist() == [
        "=1+1",
        "@SUM(A1)",
        "__import__('os')",
    ]


WRONG = {
    "value": ["4.2 ms", "nan", "inf", "1e999", "1_000", "0x10", "", "9" * 40, "٤"],
    "half_width": ["", "-1", "wide"],
    "low": ["5", "low"],
    "unit": ["", "furlong", "MS"],
    "statistic": ["", "mean"],
    "status": ["", "doubtful"],
    "experiment": ["", "my test", "1st"],
    "quantity": ["", "latency (ms)"],
    "as_printed": [""],
    "place": ["", "x" * 2001],
    "reason": ["because"],
    "consistent_value": ["4"],
}


@pytest.mark.parametrize(
    ("column", "text"), [(column, text) for column, texts in WRONG.items() for text in texts]
)
def test_a_wrong_cell_is_named(own, column, text):
    path = own(changed(experiment="first"), changed(**{column: text}))
    with pytest.raises(MeasurementError, match="allowed: ") as error:
        load(path)
    assert str(error.value).startswith(f"{path}, line 3, column {column}: ")
    assert (error.value.file, error.value.line, error.value.column) == (str(path), 3, column)
    assert len(str(error.value)) < 500 + len(str(path))


@pytest.mark.parametrize("text", ["-1", "30 s"])
def test_a_reading_may_have_the_time_that_it_was_taken_over(own, text):
    header = f"{HEADER},interval_s"
    assert load(own(f"{ROW},30", header=header)).interval_s.item() == 30
    with pytest.raises(MeasurementError, match=r"line 2, column interval_s: .*; allowed: "):
        load(own(f"{ROW},{text}", header=header))


def test_an_inconsistent_value_needs_its_reason_and_the_consistent_one(own):
    flags = {"status": "inconsistent", "consistent_value": "4", "reason": "the sum is 4"}
    assert load(own(changed(**flags)))["consistent_value"].tolist() == [4.0]
    assert load(own(changed(**flags, value="", as_printed="")))["value"].isna().all()
    for column in ("reason", "consistent_value"):
        with pytest.raises(MeasurementError, match=f"line 2, column {column}: missing; allowed"):
            load(own(changed(**{**flags, column: ""})))


def test_a_key_stands_once(own):
    with pytest.raises(MeasurementError, match=r"line 4, column place: the same .* as line 2"):
        load(own(ROW, changed(experiment="other"), changed(value="5")))


@pytest.mark.parametrize("column", WANTED)
def test_a_missing_column_is_named(own, column):
    header = ",".join(name for name in COLUMNS if name != column)
    with pytest.raises(MeasurementError, match=f"line 1, column {column}: missing; allowed: the"):
        load(own(header=header))


@pytest.mark.parametrize("column", [name for name in COLUMNS if name not in WANTED])
def test_a_column_that_need_not_be_there_is_filled(own, column):
    whole = load(own(ROW))
    header = ",".join(name for name in COLUMNS if name != column)
    cells = zip(COLUMNS, ROW.split(","), strict=True)
    frame = load(own(",".join(cell for name, cell in cells if name != column), header=header))
    others = [name for name in COLUMNS if name != column]
    assert frame[others].equals(whole[others])
    assert tuple(frame.columns) == COLUMNS
    assert frame.dtypes.equals(whole.dtypes)


FOUR = "stream,quantity,value,unit"


def test_four_columns_are_enough(own):
    frame = load(own("voice,latency,4.50,ms", ",throughput,2e3,Mbit/s", header=FOUR))
    wanted = ["stream", "quantity", "value", "unit", "half_width", "as_printed"]
    assert frame[wanted].to_numpy().tolist() == [
        ["voice", "latency", 4.5, "ms", 0.005, "4.50"],
        ["", "throughput", 2000.0, "Mbit/s", 500.0, "2e3"],
    ]
    rest = ["experiment", "statistic", "place", "status", "reason"]
    assert frame[rest].to_numpy().tolist() == [
        ["own", "unspecified", "line 2", "ok", ""],
        ["own", "unspecified", "line 3", "ok", ""],
    ]


@pytest.mark.parametrize(
    ("quantity", "value", "unit", "allowed"),
    [
        *(("drop_ratio", value, "%", "0 to 100 %") for value in ("-30", "300")),
        *(("loss", value, "1", "0 to 1") for value in ("-0.3", "1.01")),
        ("loss_share", "1000001", "ppm", "0 to 1e[+]06 ppm"),
    ],
)
def test_less_than_nothing_or_more_than_all_is_not_lost(own, quantity, value, unit, allowed):
    load(own(f"voice,{quantity},0,{unit}", f"data,{quantity},1,{unit}", header=FOUR))
    with pytest.raises(MeasurementError, match=f"line 2, column value: .* allowed: {allowed}$"):
        load(own(f"voice,{quantity},{value},{unit}", header=FOUR))


@pytest.mark.parametrize("separator", [";", "\t"])
def test_a_file_with_other_separators_is_told_to_have_commas(own, separator):
    header, row = (text.replace(",", separator) for text in (FOUR, "voice,latency,4,ms"))
    with pytest.raises(MeasurementError, match=r"line 1: fields are separated by .*: commas, and"):
        load(own(row, header=header))


def test_an_empty_value_is_told_to_be_one(own):
    with pytest.raises(MeasurementError, match=r"column value: empty; allowed: a value$"):
        load(own("voice,latency,,ms", header=FOUR))


def test_a_buffer_an_open_file_and_a_frame_load_like_a_file(own):
    path = own(ROW, changed(experiment="other", stream="=1+1"))
    whole, text = load(path), path.read_text(encoding="utf-8")
    for table in (io.StringIO(text), io.BytesIO(text.encode()), pd.read_csv(path), whole):
        frame = load(table)
        assert frame.equals(whole)
        assert frame.attrs["units"] == whole.attrs["units"]
    with open(path, encoding="utf-8") as file:
        assert load(file).equals(whole)
    assert load(io.StringIO("\ufeff" + text)).equals(whole)
    four = {"stream": ["a", "a"], "quantity": ["loss"] * 2, "value": [1, 2.5], "unit": ["%"] * 2}
    frame = load(pd.DataFrame(four))
    assert frame["half_width"].tolist() == [0.05, 0.05]
    assert frame.attrs["source"] == {"file": "DataFrame", "title": "DataFrame"}


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            io.StringIO(""),
            "^StringIO, line 1, column stream: missing; allowed: the columns stream,",
        ),
        (io.BytesIO(b"\xff"), "^BytesIO, line 1: byte 0xff is not UTF-8"),
        (io.StringIO("x" * 10_000_001), "^StringIO: too large; allowed: up to 10,000,000"),
        (pd.DataFrame(), "^DataFrame, line 1, column stream: missing"),
        (pd.DataFrame({"value": [1]}), "^DataFrame, line 1, column stream: missing"),
        (pd.DataFrame(columns=FOUR.split(",")), "^DataFrame, line 1: no rows"),
        (pd.DataFrame([["a", "loss", "x", "%"]], columns=FOUR.split(",")), "line 2, column value"),
        (pd.DataFrame([["a", "loss", None, "%"]], columns=FOUR.split(",")), "line 2, column value"),
        (pd.DataFrame([[["a"], "l", 1, "%"]] * 2, columns=[*FOUR.split(",")[:3], 7]), "line 1"),
    ],
)
def test_what_is_wrong_in_a_buffer_or_a_frame_has_its_line(table, message):
    with pytest.raises(MeasurementError, match=message) as error:
        load(table)
    assert "allowed: " in str(error.value)


def test_a_published_table_is_read_once_and_each_copy_is_ones_own(monkeypatch):
    first, tables = load("m120_latency"), len(catalogue())
    monkeypatch.setattr(published, "rows_of", lambda *_: pytest.fail("read again"))
    first.loc[0, "value"] = 1e9
    first.attrs["source"]["publisher"] = "somebody else"
    sources()["m120_latency.csv"]["publisher"] = "somebody else"
    again = load("m120_latency")
    assert again.loc[0, "value"] != 1e9
    assert again.attrs["source"]["publisher"] == "Juniper Networks"
    assert sources()["m120_latency.csv"]["publisher"] == "Juniper Networks"
    assert len(catalogue()) == tables == len(TABLES)


def test_a_published_table_that_has_changed_is_read_again(own, monkeypatch, tmp_path):
    (tmp_path / "measurements").mkdir()
    copied = own(ROW).rename(tmp_path / "measurements" / "mine.csv")
    (tmp_path / "sources.toml").write_text(PASSPORTS)
    monkeypatch.setattr(published, "folder", lambda: tmp_path / "measurements")
    assert len(load("mine")) == 1
    copied.write_text(f"{HEADER}\n{ROW}\n{changed(experiment='other')}\n", encoding="utf-8")
    assert len(load("mine")) == 2


PASSPORTS = """
[sources.lab]
title = "A test"

[files."mine.csv"]
source = "lab"

[files."toy.csv"]
source = "toy"
"""


def test_a_passport_that_is_missing_or_has_no_source_is_named_and_others_load(
    own, monkeypatch, tmp_path
):
    (tmp_path / "measurements").mkdir()
    for name in ("mine", "toy", "new"):
        own(ROW).rename(tmp_path / "measurements" / f"{name}.csv")
    (tmp_path / "sources.toml").write_text(PASSPORTS)
    monkeypatch.setattr(published, "folder", lambda: tmp_path / "measurements")
    assert load("mine").attrs["source"]["title"] == "A test"
    unknown = r'sources.toml: \[files."toy.csv"\] source is \'toy\'; allowed: lab'
    for read in (lambda: load("toy"), sources):
        with pytest.raises(MeasurementError, match=unknown):
            read()
    with pytest.raises(MeasurementError, match=r'sources.toml: no passport \[files."new.csv"\];'):
        load("new")


@pytest.mark.parametrize(
    ("header", "rows", "message"),
    [
        (HEADER + ",colour", [], "line 1, column 'colour': unknown; allowed: the columns"),
        (HEADER + ",unit", [], "line 1, column unit: there twice; allowed: the columns"),
        (HEADER, [], "line 1: no rows; allowed: "),
        (HEADER, [ROW + ",,"], "line 2: 16 fields; allowed: 14, as in the header"),
        (HEADER, ["base,CS1"], "line 2, column quantity: 2 fields; allowed: 14"),
        (HEADER, ['"base'], "line 2: unexpected end of data; allowed: fields"),
        (HEADER, ["x" * 200_000], "line 2: field larger than field limit"),
    ],
)
def test_a_table_of_another_form_is_refused(own, header, rows, message):
    with pytest.raises(MeasurementError) as error:
        load(own(*rows, header=header))
    assert message in str(error.value)


def test_a_file_that_is_not_utf_8_is_refused(own):
    with pytest.raises(MeasurementError, match="line 3: byte 0xb5 is not UTF-8; allowed: text"):
        load(own(ROW, changed(as_printed="72 µs"), encoding="latin-1"))


def test_a_file_over_10_mb_is_refused(tmp_path):
    path = tmp_path / "large.csv"
    with open(path, "wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(MeasurementError, match="too large; allowed: up to 10,000,000 bytes"):
        load(path)


@pytest.mark.parametrize(
    "table",
    [
        *("m120_latncy", "no/such.csv", "..", "", "x" * 5000, "a/" * 5000, "\0", "\ud800"),
        *(None, 5, 10**5000, b"m120_latency", ["m120_latency"]),
    ],
    ids=lambda table: str(table)[:20] if isinstance(table, str) else type(table).__name__,
)
def test_an_unknown_table_names_the_known_ones(table):
    with pytest.raises(MeasurementError, match=r"no such table; allowed: .*m120_latency") as error:
        load(table)
    assert len(str(error.value)) < 1500


def test_a_file_that_may_not_be_read_is_refused(own, monkeypatch):
    def refuse(*given):
        raise PermissionError(13, "Permission denied")

    path = own(ROW)
    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(MeasurementError, match=r"own.csv: not readable \(Permission denied\); all"):
        load(path)


def test_of_two_unknown_columns_the_first_is_named(own):
    for name in "abcdefgh":
        with pytest.raises(MeasurementError, match=f"line 1, column '{name}': unknown; allowed:"):
            load(own(ROW, header=f"{HEADER},{name},zebra"))


@given(st.text(st.characters(codec="utf-8"), max_size=200), st.sampled_from(COLUMNS))
def test_any_text_in_a_cell_is_read_or_refused(tmp_path_factory, text, column):
    path = tmp_path_factory.getbasetemp() / "any.csv"
    quoted = '"' + text.replace('"', '""') + '"'
    path.write_text(f"{HEADER}\n{changed(**{column: quoted})}\n", encoding="utf-8", newline="")
    try:
        rows = len(load(path))
    except MeasurementError:
        return
    assert rows == 1


@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_refused(tmp_path_factory, raw):
    path = tmp_path_factory.getbasetemp() / "bytes.csv"
    path.write_bytes(raw)
    with pytest.raises(MeasurementError):
        load(path)
