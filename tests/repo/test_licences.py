"""Each folder of texts says which of its parts have which licence."""

import pytest

from places import ROOT


@pytest.mark.parametrize("folder", ["notebooks", "course", "docs"])
def test_a_folder_says_what_is_text_and_what_is_code(folder):
    note = (ROOT / folder / "LICENSE").read_text()
    text, code = note.index("Text: "), note.index("Code: ")
    assert text < note.index("CC BY 4.0") < code < note.index("BSD 3-Clause License")
    assert "LICENSES/CC-BY-4.0.txt" in note


def test_both_licences_are_there_in_full_and_the_readme_names_them():
    text = (ROOT / "LICENSES" / "CC-BY-4.0.txt").read_text()
    assert text.startswith("Attribution 4.0 International")
    for number, title in enumerate(("Definitions", "Scope", "License Conditions"), 1):
        assert f"Section {number} -- {title}." in text
    assert "Section 8 -- Interpretation." in text
    assert (ROOT / "LICENSE").read_text().startswith("BSD 3-Clause License")
    readme = (ROOT / "README.md").read_text().split("## Licences")[1]
    assert "(LICENSE)" in readme
    assert "(LICENSES/CC-BY-4.0.txt)" in readme
