"""How a figure looks on a dark page: a style sheet that follows the page's theme at once.

plotly writes its colours into the elements that it draws. The sheet finds them there, so it holds
for widgets and for stored figures alike, and a picture that is saved keeps its light colours.
"""

from qoslib.plots.style import CLEAR, DARK, GRID, GROUND, INK, PALE, PAPER, RIM

__all__ = ["sheet"]

#: The page's own ground, where it says which; JupyterLab's dark theme otherwise.
_PAGE = "var(--jp-layout-color0, #111111)"
#: Colour of a figure -> on a dark page: text and lines bright, what is pale near the ground.
ON_DARK = DARK | {INK: "#E0E0E0", PALE: "#444444", GRID: "#333333", RIM: "#777777", GROUND: _PAGE}
#: What is read at the pointer has the name of its trace on paper.
ON_DARK |= {PAPER: _PAGE}
#: Pages that say that they are dark, and any other where the reader's system wants it.
_NAMED = ('[data-jp-theme-light="false"]', '[data-theme="dark"]')
_UNNAMED = ":root:not([data-theme]) body:not([data-jp-theme-light])"


def sheet() -> str:
    """The style sheet, to stand anywhere in the page of a figure.

    >>> "prefers-color-scheme: dark" in sheet()
    True
    """
    made = [*_rules(", ".join(_NAMED)), "@media (prefers-color-scheme: dark) {"]
    return "\n".join([*made, *_rules(_UNNAMED), "}"])


def _rules(page: str) -> list[str]:
    paper = f'.main-svg[style*="{_rgb(PAPER)}"]'
    inside = f":is({page}) :is({paper}, {paper} ~ *)"
    rules = [f":is({page}) {paper} {{ background: {CLEAR} !important; }}"]
    for light, dark in ON_DARK.items():
        for what in ("fill", "stroke"):
            there = f'[style*="{what}: {_rgb(light)}"]'
            rules.append(f"{inside} {there} {{ {what}: {dark} !important; }}")
    # The buttons' colours stand in a style sheet of plotly's own, their ground half as bright.
    rules.append(f"{inside} .modebar-group {{ background: {CLEAR} !important; }}")
    return [*rules, f"{inside} .modebar-btn path {{ fill: {ON_DARK[RIM]} !important; }}"]


def _rgb(colour: str) -> str:
    """A colour as a browser writes it."""
    return "rgb({}, {}, {})".format(*(int(colour[at : at + 2], 16) for at in (1, 3, 5)))
