"""The XML of ``| display xml``: elements with their lines, and nothing that an XML file may do."""

from collections.abc import Iterator
from xml.parsers import expat

from qoslib.telemetry.values import Values, short

__all__ = ["elements"]

#: Deeper than Junos nests, and longer than any of its texts.
DEEPEST, LONGEST = 50, 500


def elements(text: str, values: Values) -> Iterator[tuple[int, tuple[str, ...], str]]:
    """Each element without children: its line, the names down to it, and its text.

    A document type, and with it every entity and whatever it might fetch, is refused.
    """
    # What a terminal puts before and behind it is no part of it.
    begin, end = text.find("<"), text.rfind(">")
    before = text.count("\n", 0, begin)
    return iter(_Collector(values, before).parse(text[begin : end + 1]))


class _Collector:
    """What the parser calls; names come without their prefix."""

    def __init__(self, values: Values, before: int) -> None:
        self.values, self.before = values, before
        self.found: list[tuple[int, tuple[str, ...], str]] = []
        self.path: list[str] = []
        self.line, self.text = 0, ""
        self.parser = expat.ParserCreate("utf-8")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._data
        self.parser.StartDoctypeDeclHandler = self._doctype

    def parse(self, text: str) -> list[tuple[int, tuple[str, ...], str]]:
        try:
            self.parser.Parse(text.encode("utf-8", "replace"), True)
        except expat.ExpatError as error:
            problem = f"not XML ({expat.ErrorString(error.code)})"
            allowed = "a whole reply, as `| display xml` shows it"
            raise self.values.error(
                f"{problem}; allowed: {allowed}", self.before + error.lineno
            ) from None
        return self.found

    def _here(self) -> int:
        return self.before + int(self.parser.CurrentLineNumber)

    def _doctype(self, *_: object) -> None:
        raise self.values.error("a document type; allowed: XML without one", self._here())

    def _start(self, name: str, _: object) -> None:
        if len(self.path) >= DEEPEST:
            problem = f"{short(name)} is nested too deeply; allowed: {DEEPEST} levels"
            raise self.values.error(problem, self._here())
        self.path.append(name.rpartition(":")[2])
        self.line, self.text = self._here(), ""

    def _data(self, text: str) -> None:
        if len(self.text) < LONGEST:
            self.text += text

    def _end(self, _: str) -> None:
        if self.text.strip():
            self.found.append((self.line, tuple(self.path), self.text.strip()[:LONGEST]))
        self.path.pop()
        self.text = ""
