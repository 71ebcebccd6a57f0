"""Scheduler maps of a text without interfaces, each looked at as if it stood on one."""

from collections.abc import Iterator, Mapping

from qoslib.config.junos.attachments import Interface
from qoslib.config.junos.definitions import Known
from qoslib.config.junos.paths import below
from qoslib.config.junos.profiles import Profile

__all__ = ["pieces"]


def pieces(known: Known, profiles: Mapping[str, Profile]) -> Iterator[Interface]:
    """An interface for each traffic-control profile with a map, and for each map of no profile."""
    used = set()
    for name, profile in profiles.items():
        if profile.scheduler_map and profile.scheduler_map[0] in known.maps:
            used.add(profile.scheduler_map[0])
            yield Interface(name, profile.line, profile)
    said = below(known.said, "class-of-service", "scheduler-maps")
    lines = {each.words[0]: each.line for each in reversed(said)}
    for name in known.maps:
        if name not in used:
            yield Interface(name, lines[name], Profile(name, lines[name], (name, lines[name])))
