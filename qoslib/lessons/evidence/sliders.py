"""The explorer of the scoreboard: which platform, which model, which of the rivals."""

from collections.abc import Sequence

from qoslib import compare
from qoslib.explore.controls import choice, switch
from qoslib.explore.explorer import Explorer
from qoslib.explore.export import Call
from qoslib.lessons.evidence.counted import COUNTS, counted
from qoslib.lessons.evidence.figures import figure, lanes_of
from qoslib.record import checked

__all__ = ["chosen", "explorer"]

EVERY = "all"


def explorer(rows: Sequence[compare.Row] = ()) -> Explorer:
    """The whole scoreboard, to be narrowed down to what counts, a platform and a model.

    Parameters
    ----------
    rows : sequence of Row
        Rows of a scoreboard of your own, such as ``compare.score().rows``; by default those that
        come with the package.
    """
    rows = checked(tuple[compare.Row, ...], rows, "rows")
    known = tuple(r for r in rows if r.verdict != "unscored") or compare.stored()
    lanes = lanes_of(known)
    controls = {
        "count": choice("Count", COUNTS, COUNTS[0]),
        "platform": choice("Platform", [EVERY, *_names(known, "platform")], EVERY),
        "model": choice("Model", [EVERY, *_names(known, "model")], EVERY),
        "rivals": switch("Rival assumptions too"),
        "misfits": switch("Misfits alone"),
    }

    def draw(values, _):
        return figure(chosen(known, **values), lanes)

    return Explorer(controls, draw, call=Call("evidence"))


def chosen(
    rows: Sequence[compare.Row],
    platform: str,
    model: str,
    rivals: bool,
    misfits: bool,
    count: str = COUNTS[0],
) -> list[compare.Row]:
    """The rows that the controls leave: what counts, of a platform, a model, `base`, misfits."""
    return [
        each
        for each in counted(rows, count)
        if platform in (EVERY, each.platform)
        and model in (EVERY, each.model)
        and (rivals or each.assumptions == "base")
        and (each.verdict == "misfit" or not misfits)
    ]


def _names(rows, field):
    return list(dict.fromkeys(getattr(each, field) for each in rows))
