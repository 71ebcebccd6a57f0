"""The command takes files, names and numbers as people have them."""

import codecs

import pytest

from qoslib import __main__
from qoslib.checks import loads
from qoslib.config import read
from qoslib.findings import check

EDGE = """\
class-map match-any CALLS
 match dscp ef
policy-map EDGE
 class CALLS
  priority percent 20
interface GigabitEthernet0/0/1
 speed 100
 service-policy output EDGE
"""


@pytest.fixture
def run(tmp_path, capsys, monkeypatch):
    """Run the command in a folder with this file; gives its status and what it printed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "edge.cfg").write_text(EDGE)

    def ran(*arguments):
        status = __main__.main(["check", *arguments])
        return status, *capsys.readouterr()

    return ran


@pytest.mark.parametrize(
    "raw",
    [
        codecs.BOM_UTF16_LE + EDGE.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + EDGE.encode("utf-16-be"),
        EDGE.encode("utf-16-le"),
        EDGE.encode("utf-16-be"),
        EDGE.replace("\n", "\r\n").encode("utf-16"),
    ],
)
def test_a_file_of_powershell_is_read(run, tmp_path, raw):
    (tmp_path / "power.cfg").write_bytes(raw)
    status, out, _ = run("power.cfg")
    assert status == 0
    assert "8 lines understood, 0 not modelled, 0 unknown, 0 on other things" in out


def test_a_binary_file_is_still_none(run, tmp_path):
    (tmp_path / "binary.cfg").write_bytes(bytes(range(256)) * 9)
    status, out, _ = run("binary.cfg")
    assert status == 2
    assert "binary file" in out


def test_a_line_that_a_device_refuses_is_an_error_and_ends_with_1(run, tmp_path):
    (tmp_path / "odd.cfg").write_text(EDGE.replace("percent 20", "percent 120"))
    status, out, _ = run("odd.cfg")
    assert status == 1
    assert "ERROR line-refused" in out
    assert "7 lines understood, 0 not modelled, 0 unknown, 1 refused, 0 on other things" in out


def test_a_rate_without_a_unit_that_no_line_has_is_asked_for(run):
    status, _, err = run("edge.cfg", "--fact", "line_rate_bps=100")
    assert status == 2
    assert "has no unit, so it is '100 bit/s'; allowed: 100M if Mb/s are meant" in err
    assert run("edge.cfg", "--fact", "line_rate_bps=64k")[0] == 0
    assert run("edge.cfg", "--fact", "line_rate_bps=100 b/s")[0] != 2


def test_a_fact_takes_the_short_name_of_an_interface(run):
    _, out, _ = run("edge.cfg", "--fact", "Gi0/0/1.contract_bps=50M")
    assert "no-shaper" in out
    assert run("edge.cfg", "--fact", "Gi0/0/2.contract_bps=50M")[0] == 2
    facts = {"line_rate_bps": 1e7, "gi0/0/1.line_rate_bps": 2e7}
    assert read(EDGE, facts=facts).ports[0].port.rate_bps == 2e7


def test_files_stand_before_and_behind_an_option(run, tmp_path):
    (tmp_path / "other.cfg").write_text(EDGE)
    status, out, _ = run("edge.cfg", "--html", "page.html", "other.cfg")
    assert status == 0
    assert "edge.cfg  ios-xe" in out
    assert "other.cfg  ios-xe" in out


@pytest.mark.parametrize(
    ("words", "rate_bps"),
    [
        # 80 B and 145 B of payload with 58 B of headers, every 20 ms.
        ("10 calls Opus", 10 * 55_200),
        ("10 Teams calls", 10 * 81_200),
        ("4 Teams video calls", 6_000_000),
        ("30 web users", 15_000_000),
    ],
)
def test_words_for_what_people_have(words, rate_bps):
    given = loads(read(EDGE).ports[0], f'CALLS = "{words}"\n')
    load = next(each for each in given if each.name == "CALLS")
    assert load.rate_bps == pytest.approx(rate_bps)
    assert load.origin == "computed"


@pytest.mark.parametrize(
    ("line", "alike"), [("", True), ("version 15.4\n", False), ("version 17.3\n", False)]
)
def test_a_text_that_may_be_of_classic_ios_says_what_it_is_taken_for(line, alike):
    text = line + (
        "class-map match-any CALLS\n match dscp ef\nclass-map match-any DATA\n match dscp af21\n"
        "policy-map EDGE\n class CALLS\n  priority percent 20\n"
        " class DATA\n  bandwidth percent 20\n"
        "interface GigabitEthernet0/1\n speed 100\n service-policy output EDGE\n"
    )
    assert any("Classic IOS shares" in each for each in check(text).assumed) == alike


def test_a_fix_pasted_behind_the_text_does_not_look_like_a_text_that_is_cut_off():
    more = "policy-map EDGE\n class CALLS\n  priority percent 30\n"
    pasted = f"hostname edge\n{EDGE}{more}"
    assert not [each for each in check(pasted).assumed if "cut off" in each]
    cut = pasted.partition("interface")[0]
    assert [each for each in check(cut).assumed if "cut off" in each]
