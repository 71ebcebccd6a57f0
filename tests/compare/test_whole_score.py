"""``python -m qoslib score --full``: whole tests replayed, and all sets of assumptions."""

from qoslib import __main__


def test_no_row_of_whole_tests_is_off(answered_once, capsys):
    """Each that is outside its tolerance is a known misfit, and inside its band."""
    code = __main__.main(["score", "--full"])
    shown, told = capsys.readouterr()
    assert code == 0, [line for line in told.splitlines() if line.startswith("off: ")]
    assert "They are of whole tests" in shown
    assert "Premium for 90 minutes" in told
