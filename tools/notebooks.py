"""Run the lessons and keep of their outputs what belongs in a repository.

python tools/notebooks.py [NOTEBOOK ...]

Text stays, and each figure becomes a small picture of itself, so that a viewer without a kernel
sees it as it first appears. Widget state and plotly's own data go: they are megabytes.
"""

import base64
import os
import re
import struct
import subprocess
import sys
import zlib
from contextlib import contextmanager
from pathlib import Path

import nbformat
import numpy as np
import plotly
from nbclient import NotebookClient

from benchmarks.laboratory import chromium

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
PLOTLY = "application/vnd.plotly.v1+json"
KEPT = ("text/plain", "text/html", "text/markdown", "text/latex", "image/png", "image/svg+xml")
STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)
WIDTH, HEIGHT = 820, 330
MAX_PICTURE_BYTES = 40_000
TO_PIXELS = """async ([figure, width, height]) => {
    const image = new Image();
    image.src = await Plotly.toImage(figure, {format: "png", width, height, scale: 1});
    await image.decode();
    const context = new OffscreenCanvas(width, height).getContext("2d");
    context.drawImage(image, 0, 0);
    const pixels = context.getImageData(0, 0, width, height).data;
    return Array.from({length: height}, (_, row) =>
        btoa(String.fromCharCode(...pixels.subarray(row * width * 4, (row + 1) * width * 4))));
}"""


@contextmanager
def pictures():
    """Yield a function from plotly's data to a PNG, base64-coded."""
    with chromium() as browser:
        page = browser.new_page()
        page.add_script_tag(path=Path(plotly.__file__).parent / "package_data" / "plotly.min.js")
        yield lambda figure: png(page.evaluate(TO_PIXELS, [figure, WIDTH, HEIGHT]))


def png(rows):
    """A PNG with at most 256 colours, a third of the size of the browser's own.

    Colours are rounded to 4 bits a channel; those beyond the 256 most frequent, all of them
    shades of some letter's edge, become the nearest of these.
    """
    pixels = np.frombuffer(b"".join(map(base64.b64decode, rows)), np.uint8).reshape(-1, 4)
    shades = (pixels[:, :3].astype(int) + 8) // 17 * 17
    colours, which, count = np.unique(shades, axis=0, return_inverse=True, return_counts=True)
    palette = colours[np.argsort(-count)[:256]]
    nearest = np.abs(colours[:, None] - palette[None]).sum(-1).argmin(1).astype(np.uint8)
    lines = nearest[which.ravel()].reshape(HEIGHT, WIDTH)
    unfiltered = np.hstack([np.zeros((HEIGHT, 1), np.uint8), lines])
    chunks = (
        (b"IHDR", struct.pack(">2I5B", WIDTH, HEIGHT, 8, 3, 0, 0, 0)),
        (b"PLTE", palette.astype(np.uint8).tobytes()),
        (b"IDAT", zlib.compress(unfiltered.tobytes(), 9)),
        (b"IEND", b""),
    )
    made = b"\x89PNG\r\n\x1a\n"
    for kind, content in chunks:
        made += struct.pack(">I", len(content)) + kind + content
        made += struct.pack(">I", zlib.crc32(kind + content))
    return base64.b64encode(made).decode()


def run(path):
    """Execute a notebook and return it."""
    lesson = nbformat.read(path, as_version=4)
    client = NotebookClient(lesson, timeout=120, store_widget_state=False, coalesce_streams=True)
    client.execute(cwd=str(path.parent))
    return lesson


def slim(output, picture):
    """Leave text and a picture in an output, and nothing that only a kernel can show."""
    if "data" not in output:
        return output
    bundle = output["data"]
    if PLOTLY in bundle:
        bundle["image/png"] = picture(bundle[PLOTLY])
        if len(base64.b64decode(bundle["image/png"])) > MAX_PICTURE_BYTES:
            sys.exit(f"a picture has more than {MAX_PICTURE_BYTES:,} bytes")
    if "image/svg+xml" in bundle:
        # A page that plays is five times its still picture.
        bundle.pop("text/html", None)
    if "text/html" in bundle:
        # A picture is light on any page.
        bundle["text/html"] = STYLE.sub("", bundle["text/html"])
    output["data"] = {mime: bundle[mime] for mime in KEPT if mime in bundle}
    return output


def main(names):
    # A busy machine would show a progress bar, and it would stay in the lesson.
    os.environ["TQDM_DISABLE"] = "1"
    subprocess.run([sys.executable, Path(__file__).with_name("compile_kernels.py")], check=True)
    # All are run before the browser starts: both keep an event loop in this thread.
    lessons = {path: run(path) for path in names or sorted(NOTEBOOKS.glob("*.ipynb"))}
    with pictures() as picture:
        for path, lesson in lessons.items():
            lesson.metadata.pop("widgets", None)
            for cell in lesson.cells:
                cell.metadata.pop("execution", None)
                if cell.cell_type == "code":
                    cell.outputs = [slim(output, picture) for output in cell.outputs]
            nbformat.write(lesson, path)
            print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]])
