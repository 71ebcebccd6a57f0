"""Definitions where words stand: what the glossary says of a word, at each link to it.

A word becomes a button that opens its definition, which is shown too while a mouse is over it or a
key has moved to it. No script is needed. In a lesson, the first place where a new word is used
after the opening has its definition as well.
"""

import html
import re
import tomllib
from functools import cache
from pathlib import Path

__all__ = ["defined"]

WORDS = Path(__file__).resolve().parent.parent / "data" / "words.toml"
LINK = re.compile(
    r'<a class="reference internal" href="([^"]*glossary\.html)#([\w-]+)">(.*?)</a>', re.DOTALL
)
#: What a word is not looked for in: it has a meaning of its own there.
APART = {"a", "button", "code", "details", "h1", "h2", "h3", "nav", "pre", "strong", "svg", "table"}
#: The heading under which a lesson lists its new words.
OPENING = 'id="about-this-lesson"'


@cache
def meanings() -> dict[str, tuple[str, str]]:
    """Anchor in the glossary -> the word and what it means."""
    groups = tomllib.loads(WORDS.read_text(encoding="utf-8"))["group"]
    found = ((word["name"], word["means"]) for group in groups for word in group["word"])
    return {_anchor(name): (name, means) for name, means in found}


def _anchor(name: str) -> str:
    """Where the glossary has a word, as Sphinx names the place.

    >>> _anchor("Little's law")
    'little-s-law'
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def defined(body: str) -> str:
    """The HTML of a page in which each link to a word of the glossary opens its definition.

    Parameters
    ----------
    body : str
        As Sphinx made it.

    Returns
    -------
    str
        The same with definitions; a link to what is no word stays as it is.
    """
    links = dict.fromkeys((found[2], found[1]) for found in LINK.finditer(body))
    wanted = {meanings()[anchor][0]: (anchor, to) for anchor, to in links if anchor in meanings()}
    opening, heading, lesson = body.partition(OPENING)
    section, mark, lesson = lesson.partition("</section>")
    body = opening + heading + section + mark + _first_uses(lesson, wanted)
    count = iter(range(len(body)))

    def button(found: re.Match[str]) -> str:
        to, anchor, words = found.groups()
        if anchor not in meanings():
            return found[0]
        return _button(f"definition-{next(count)}", re.sub(r"<[^>]+>", "", words), anchor, to)

    return LINK.sub(button, body)


def _first_uses(lesson: str, wanted: dict[str, tuple[str, str]]) -> str:
    """Link the first use of each word, outside of what stands apart."""
    left = dict(wanted)
    parts, apart = re.split(r"(<[^>]+>)", lesson), 0
    for n, part in enumerate(parts):
        if n % 2:
            name = part.strip("</>").partition(" ")[0]
            apart += (name in APART) * (-1 if part.startswith("</") else 1)
        elif not apart:
            for word in list(left):
                used = re.search(rf"(?<![\w-]){re.escape(html.escape(word))}(?![\w-])", parts[n])
                if used:
                    anchor, to = left.pop(word)
                    link = f'<a class="reference internal" href="{to}#{anchor}">{used[0]}</a>'
                    parts[n] = parts[n][: used.start()] + link + parts[n][used.end() :]
                    break
    return "".join(parts)


def _button(name: str, words: str, anchor: str, to: str) -> str:
    word, means = meanings()[anchor]
    said = f'<b>{html.escape(word)}</b> {html.escape(means)} <a href="{to}#{anchor}">Glossary</a>'
    return (
        f'<span class="qoslib-word"><button type="button" popovertarget="{name}" '
        f'aria-describedby="{name}">{words}</button>'
        f'<span class="qoslib-definition" popover id="{name}">{said}</span></span>'
    )
