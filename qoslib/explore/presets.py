"""Configurations to start from: ``presets.toml``."""

import tomllib
from pathlib import Path
from typing import NamedTuple

__all__ = ["PRESETS", "Preset"]


class Preset(NamedTuple):
    """A configuration, what it has no place for, and what is sent to its classes."""

    text: str
    facts: dict[str, float | str]
    traffic: str


def _presets() -> dict[str, Preset]:
    text = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    return {
        name: Preset(one["text"].lstrip("\n"), one["facts"], one["traffic"])
        for name, one in tomllib.loads(text).items()
    }


#: Name -> configuration.
PRESETS = _presets()
