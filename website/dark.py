"""Pictures for a dark page: the same shapes, in the colours that a packet view has there."""

import re

from qoslib.explore import svg
from qoslib.explore.animated_svg import HOLLOW
from qoslib.plots import style

__all__ = ["FOLDER", "dark", "in_both"]

#: Where the pictures are, from the root of the site.
FOLDER = "_static/qoslib/dark"
#: Colour of a picture -> on a dark page.
ON_DARK = {
    "#fff": "#0F1419",
    svg.INK: "#E6EDF3",
    svg.MUTED: "#9DA7B3",
    svg.RULE: "#565F6A",
    svg.RED: "#FF8A80",
    svg.TRAY: "#222931",
    HOLLOW: "#3A2421",
    "#DADDE1": "#3A434E",
    **style.DARK,
}
COLOUR = re.compile(r'(?<=[":\s])#[0-9A-Fa-f]{3,6}(?=[";\s])')
PICTURE = re.compile(r'<img ([^>]*?)src="([^"]*/)_images/([^"/]+\.svg)"([^>]*)>')


def dark(picture: str) -> str:
    """An SVG as a dark page shows it; one with a colour that is none of ours stays as it is.

    >>> dark('<rect fill="#fff"/><path stroke="#1F2328"/>')
    '<rect fill="#0F1419"/><path stroke="#E6EDF3"/>'
    """
    if not set(COLOUR.findall(picture)) <= ON_DARK.keys():
        return picture
    return COLOUR.sub(lambda found: ON_DARK[found[0]], picture)


def in_both(body: str) -> str:
    """The HTML of a page whose drawn pictures each have a light form and a dark one.

    >>> in_both('<img alt="a" src="../_images/b.svg" />').count("only-dark")
    1
    """
    return PICTURE.sub(_pair, body)


def _pair(found: re.Match[str]) -> str:
    before, root, name, after = found.groups()
    light = f'<img class="only-light" {before}src="{root}_images/{name}"{after}>'
    after = f' loading="lazy"{after}'
    return f'{light}<img class="only-dark" {before}src="{root}{FOLDER}/{name}"{after}>'
