"""Whether a text ends in the middle of a configuration."""

import re

__all__ = ["CUT", "ends_early"]

#: What a remark on the last line says.
CUT = "The text ends in the middle of the configuration: what follows may be cut off."
#: What a device writes above a whole configuration, and what stands at the top of one.
_SHOWN = re.compile(r"^(?:Building|Current) configuration", re.MULTILINE)
_WHOLE = re.compile(r"^(?:version \d|hostname \S)", re.MULTILINE)
_END = re.compile(r"^end[ \t]*$", re.MULTILINE)


def ends_early(text: str, within: bool, understood: bool = True) -> bool:
    """Whether a text of Cisco's dialects is cut off; `within` a block of its last line.

    So it is where a device did not end that line, and it is not `understood`.

    >>> ends_early("hostname edge\\npolicy-map WAN\\n class CALLS", within=True)
    True
    >>> ends_early("policy-map WAN\\n class CALLS", within=True)
    False
    >>> ends_early("policy-map WAN\\n class CALLS\\n  bandw", within=True, understood=False)
    True
    """
    if within and not understood and not text.endswith("\n"):
        return True
    whole = _SHOWN.search(text) or (within and _WHOLE.search(text))
    return bool(whole) and not _END.search(text)
