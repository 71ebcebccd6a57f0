"""Colours and symbols: seen on white, told apart with any colour vision, and in grey."""

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from qoslib.explore import packet_scene, svg
from qoslib.plots import style, theme

COLOURS = {name: look.colour for name, look in style.LOOKS.items()}
WHITE = "#FFFFFF"
#: Linear RGB as seen without one kind of cone (Machado and others 2009, doi:10.1109/TVCG.2009.113).
VISIONS = {
    "all cones": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
#: sRGB to XYZ, and the white of both (IEC 61966-2-1).
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
#: Least contrast of what is drawn, and of text (WCAG 2.1, 1.4.11 and 1.4.6).
DRAWN, TEXT = 3.0, 7.0
#: Least distance of two colours in CIELAB: some times what an eye just notices.
APART = 10.0


def linear(colour):
    """Linear RGB of a colour like ``#E69F00``."""
    parts = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    low, high = sorted(float(XYZ[1] @ linear(each)) for each in (one, other))
    return (high + 0.05) / (low + 0.05)


def lab(rgb):
    """CIELAB of a linear RGB colour."""
    parts = XYZ @ np.clip(rgb, 0, 1) / (XYZ @ np.ones(3))
    x, y, z = np.where(parts > 0.008856, np.cbrt(parts), 7.787 * parts + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("name", COLOURS)
def test_a_class_is_seen_on_white(name):
    assert contrast(COLOURS[name], WHITE) >= DRAWN


def test_text_is_read_on_white():
    assert contrast(style.INK, WHITE) >= TEXT


@pytest.mark.parametrize("colour", style.DARK.values())
def test_a_class_of_the_packet_view_is_seen_on_a_dark_ground(colour):
    for ground in ("#111111", "#111318", "#1E1E1E"):
        assert contrast(colour, ground) >= 4.5


def test_a_figure_on_a_dark_page_is_read_as_on_a_light_one():
    assert set(theme.ON_DARK) >= {*COLOURS.values(), style.INK}
    for ground in ("#111111", "#1E1E1E"):
        assert contrast(theme.ON_DARK[style.INK], ground) >= TEXT
        assert contrast(theme.ON_DARK[style.INK], theme.ON_DARK[style.PALE]) >= DRAWN
    assert theme.sheet().count("fill: #FFB84D") == 2, "in JupyterLab, and where the system is dark"


@pytest.mark.parametrize("vision", VISIONS)
def test_classes_are_told_apart_on_a_dark_ground(vision):
    for pair in combinations(style.DARK.values(), 2):
        one, other = (lab(VISIONS[vision] @ linear(colour)) for colour in pair)
        assert np.linalg.norm(one - other) >= APART, pair


def test_every_class_has_a_colour_for_the_dark():
    assert set(style.DARK) == set(COLOURS.values())


def themes_of_the_page():
    source = (Path(packet_scene.__file__).parent / "page" / "brush.js").read_text()
    themes = re.findall(r"(light|dark): \{([^}]*)\}", source)
    return {name: dict(re.findall(r'(\w+): "(#\w{6})"', said)) for name, said in themes}


def test_words_of_the_packet_view_are_read_in_both_themes():
    themes = themes_of_the_page()
    assert [*themes] == ["light", "dark"]
    for found in themes.values():
        assert contrast(found["ink"], found["ground"]) >= TEXT
        for name in ("muted", "red"):
            assert contrast(found[name], found["ground"]) >= 4.5


def test_a_still_has_the_colours_of_the_page():
    light = themes_of_the_page()["light"]
    assert light["ink"] == svg.INK
    assert light["muted"] == svg.MUTED
    assert light["rule"] == svg.RULE
    assert light["red"] == svg.RED


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("pair", list(combinations(COLOURS, 2)), ids="-".join)
def test_two_classes_are_told_apart(vision, pair):
    one, other = (lab(VISIONS[vision] @ linear(COLOURS[name])) for name in pair)
    assert np.linalg.norm(one - other) >= APART


def test_classes_are_told_apart_without_colour():
    symbols = [look.symbol for look in style.LOOKS.values()]
    assert len(set(symbols)) == len(symbols)


def test_what_the_scoreboard_marks_is_told_apart_without_colour():
    from qoslib.lessons.evidence.figures import VERDICTS

    assert len({look.symbol for _, look in VERDICTS.values()}) == len(VERDICTS)


def test_contrast_and_distance_are_what_the_standards_say():
    assert contrast("#000000", WHITE) == pytest.approx(21)
    assert contrast("#777777", WHITE) == pytest.approx(4.48, abs=0.01)
    assert lab(linear(WHITE)) == pytest.approx([100, 0, 0], abs=0.1)


@pytest.mark.parametrize("name", ["EF", "voice", "Default", "best effort", "data", "control"])
def test_a_class_has_one_look_wherever_it_stands(name):
    there = [style.looks(names)[name] for names in ([name], ["CS1", name], ["x", "y", name, "z"])]
    assert set(there) == {style.look(name)} == {style.look(name.upper(), 3)}


def test_no_two_classes_of_a_figure_look_alike():
    for names in (["gold", "data"], ["gold", "voice", "EF"], ["x", "y", "z", "BE", "CS4", "ef"]):
        assert len(set(style.looks(names).values())) == len(names)
    assert list(style.looks("abc").values()) == [style.look(n) for n in ("BE", "CS4", "NC")]
    assert len(style.looks("abcdefgh")) == 8
