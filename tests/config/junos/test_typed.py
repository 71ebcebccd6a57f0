"""Junos configurations in braces with `set` lines before and behind them, as people paste a fix."""

from qoslib.config import read
from qoslib.config.junos.statements import statements
from qoslib.findings import check
from sample_texts import FOUR_CLASSES

FACTS = {"buffer_bytes": 2e7}
#: A class with strict priority and no limit, in few lines.
COMPACT = """\
class-of-service {
    forwarding-classes { class EF queue-num 1; class BE queue-num 0; }
    schedulers { S-EF { transmit-rate percent 20; priority strict-high; } S-BE { priority low; } }
    scheduler-maps { M { forwarding-class EF scheduler S-EF; forwarding-class BE scheduler S-BE; } }
    interfaces { ge-0/0/1 { scheduler-map M; } }
}
"""


def test_what_is_typed_counts_beside_braces_however_few_lines_these_have():
    typed = "".join(
        f"set class-of-service schedulers s-video {each}\n"
        for each in ("transmit-rate percent 35", "buffer-size percent 30")
    )
    compact = " ".join(FOUR_CLASSES.split()) + "\n"
    found, wanted = (read(text + typed, facts=FACTS) for text in (compact, FOUR_CLASSES))
    assert found.ports[0].port == wanted.ports[0].port
    assert (found.understood, found.elsewhere) == (3, 0)


def test_what_is_typed_changes_what_stands_before_it():
    (wanted,) = read(FOUR_CLASSES, facts=FACTS).ports
    (found,) = read(f"delete class-of-service\n{FOUR_CLASSES}", facts=FACTS).ports
    assert found.port == wanted.port
    typed = "edit class-of-service schedulers\nset s-video transmit-rate percent 35\n"
    queues = read(FOUR_CLASSES + typed, facts=FACTS).ports[0].port.queues
    assert {q.name: q.guaranteed_bps for q in queues}["video"] == 3.5e9


def test_braces_and_lines_have_each_their_own_level():
    text = "schedulers { s { priority high; } }\n"
    text += "set class-of-service schedulers s transmit-rate percent 10\n"
    assert [each.words[:3] for each in statements(text)] == [
        ("class-of-service", "schedulers", "s")
    ] * 2


def test_what_is_typed_after_the_output_of_a_command_counts():
    before = "admin@pe1> show configuration\n" + FOUR_CLASSES
    typed = "admin@pe1# set class-of-service schedulers s-video transmit-rate percent 35\n"
    after = "[edit]\nadmin@pe1# show | compare\n[edit class-of-service schedulers s-video]\n"
    after += "+     X { ... }\n+ }\n[edit]\nadmin@pe1# commit\n"
    found, wanted = (
        read(text, facts=FACTS) for text in (before + typed + after, FOUR_CLASSES + typed)
    )
    assert found.ports[0].port == wanted.ports[0].port


def test_a_fix_of_compact_braces_is_printed():
    (got,) = [e for e in check(COMPACT, facts=FACTS).findings if e.id == "priority-unlimited"]
    assert got.fix.startswith("set class-of-service schedulers S-EF ")
    mended = check(f"{COMPACT}{got.fix}\n", facts=FACTS)
    assert not [each for each in mended.findings if each.id == "priority-unlimited"]
    assert mended.elsewhere == 0
