"""What draws the figures of explorers in a page: plotly's script, and how they look in the dark."""

from pathlib import Path

import plotly

from qoslib.plots.theme import sheet

__all__ = ["files"]

ROOT = Path(__file__).resolve().parent.parent
#: The build with what our figures need alone, a quarter of the whole.
BASIC = ROOT / "build/npm/node_modules/plotly.js-basic-dist-min/plotly-basic.min.js"


def files() -> dict[str, bytes]:
    """Names and contents of the files beside the page's own scripts."""
    whole = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    script = BASIC if BASIC.is_file() else whole
    return {"plotly.min.js": script.read_bytes(), "figure.css": sheet().encode()}
