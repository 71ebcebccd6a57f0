"""The programs that run in the page: how they are joined."""

import re
from functools import cache
from pathlib import Path

__all__ = ["joined"]


@cache
def joined(*files: str) -> str:
    """Files as one ES module, each importing from those before it.

    >>> joined("page/projector.js").splitlines()[0]
    'const PROJECTOR_CSS = `'
    """
    folder, parts = Path(__file__).parent, []
    for file in files:
        source = (folder / file).read_text(encoding="utf-8")
        source = re.sub(r"^import [^;]*;\n", "", source, flags=re.MULTILINE)
        source = re.sub(r"^export (?!default)", "", source, flags=re.MULTILINE)
        source = re.sub(r"^/\*\*\n(?: \*.*\n)* \*/\n", "", source, flags=re.MULTILINE)
        source = re.sub(r"^\s*(//.*|/\*\*.*\*/)\n", "", source, flags=re.MULTILINE)
        parts.append(re.sub(r"^\s+", "", source, flags=re.MULTILINE))
    return "".join(parts)
