"""Grids in their files are the same grids, and small."""

import gzip
import json

from website import grid_files

CURVE = [round(0.1 * n, 1) for n in range(100)]
OTHER = [each + 1 for each in CURVE]


def lesson(*curves):
    """A grid with an explorer that has a state for each curve, and one that is refused."""
    states = [[float(n), [[["data", 0, "y"], curve]]] for n, curve in enumerate(curves)]
    states.append([9.0, None, "nothing is offered"])
    return {"explorers": [{"start": {"load": 1.5}, "first": {}, "states": {"load": states}}]}


def unpacked(name, files):
    """The states of a lesson again, as a page finds them."""
    file = files[name]
    other = files[file["with"]]["held"] if file["with"] else []

    def whole(value):
        if isinstance(value, dict):
            n = value["held"]
            return other[-1 - n] if n < 0 else file["held"][n]
        return value

    return [
        [value, changes and [[path, whole(each)] for path, each in changes], *why]
        for value, changes, *why in file["explorers"][0]["states"]["load"]
    ]


def read(packed):
    return {name: json.loads(grid_files.text(each)) for name, each in packed.items()}


def test_a_long_value_is_in_a_file_once_and_none_is_lost():
    given = lesson(CURVE, OTHER, CURVE, [1.0, 2.5])
    files = read(grid_files.packed({"00_one": given}))
    assert files["00_one"]["held"] == [CURVE, OTHER]
    assert unpacked("00_one", files) == given["explorers"][0]["states"]["load"]


def test_a_lesson_with_the_curves_of_another_takes_them_from_its_file():
    given = {
        "00_one": lesson(CURVE, OTHER),
        "01_two": lesson(OTHER, CURVE),
        "02_own": lesson([7.0]),
    }
    files = read(grid_files.packed(given))
    assert [files[name]["with"] for name in given] == [None, "00_one", None]
    assert files["01_two"]["held"] == []
    for name, each in given.items():
        assert unpacked(name, files) == each["explorers"][0]["states"]["load"]


def test_a_whole_number_needs_no_point():
    assert grid_files.text({"y": [1.0, 2.5, None, -3.0, "4.0", True]}) == (
        '{"y":[1,2.5,null,-3,"4.0",true]}'
    )


def test_a_far_repetition_is_compressed():
    # A window of compression has 32 kB: between two equal curves there are more.
    curves = [[round((n * k) % 7.919, 4) for n in range(400)] for k in range(3, 60)]
    given = lesson(*curves, *curves)
    before = len(gzip.compress(json.dumps(given).encode()))
    assert len(gzip.compress(grid_files.text(grid_files.packed({"a": given})["a"]).encode())) < (
        0.6 * before
    )
