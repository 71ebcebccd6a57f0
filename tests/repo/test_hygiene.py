"""What is committed depends on no machine, names no download address and has no loose ends."""

import re
import shutil
import subprocess

import pytest

from places import ROOT

#: Hosts that may be named: this machine, and the pages that a source and a licence point to.
LOOPBACK, NAMED = r"127\.0\.0\.1", r"(fasterdata\.es\.net|(wiki\.)?creativecommons\.org/)"
#: What an SVG has to call its language: a name in the form of an address, which nobody asks. In a
#: notebook the mark after it is escaped.
SVG = r"www\.w3\.org/2000/svg\\?\""
# The parts are joined below, so that this file does not match itself.
LOOSE = ["TO|DO", "FIX|ME", "XX|X", "Not|Implemented|Error"]
RULES = {
    "an address on the network": re.compile(rf"https?://(?!{LOOPBACK}|{SVG}|\{{)\w"),
    "a host": re.compile(rf"(?<![\w.-])(?!{NAMED}|{SVG})([\w-]+\.)+(org|com|io|net)(?![\w.-])"),
    "a folder of one machine": re.compile(r"(?<![\w.~+=/-])/(work|root|home|Users)/\w"),
    "a folder outside the checkout": re.compile(r"\.\./sha" + "red"),
}


def tracked():
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        pytest.skip("not a git checkout")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    names = listed.stdout.decode().split("\0")[:-1]
    return {name: (ROOT / name).read_bytes() for name in names if (ROOT / name).is_file()}


def texts(*endings):
    files = tracked().items()
    chosen = {name: raw for name, raw in files if b"\0" not in raw and name.endswith(endings)}
    return {name: raw.decode() for name, raw in chosen.items()}


@pytest.mark.parametrize("what", RULES)
def test_no_file_names(what):
    found = {name: RULES[what].search(text) for name, text in texts("").items()}
    assert {name: match.group() for name, match in found.items() if match} == {}


def test_there_are_no_loose_ends():
    loose = re.compile(rf"\b({'|'.join(word.replace('|', '') for word in LOOSE)})\b")
    found = {name: loose.search(text) for name, text in texts(".py", ".ipynb").items()}
    assert {name: match.group() for name, match in found.items() if match} == {}
