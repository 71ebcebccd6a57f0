"""Pages of the site without Sphinx: the first one, and one with scenes, in a folder."""

import shutil
import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

from jinja2 import Environment, FileSystemLoader

from places import ROOT
from website import questions, scene_records, shown
from website.policy import POLICY

#: What Sphinx and the site's extension put into the head of each page.
HEAD = f"""
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
"""
WEBSITE = ROOT / "website"
STATIC = "_static/qoslib"
#: An engine that asks Python, by a function that the page has got.
ENGINE = """
window.asked = [];
window.qoslibEngine = Object.assign(new EventTarget(), {
  status: "ready", start() {}, look: async () => "ready",
  async ask(message) {
    window.asked.push(message);
    const { data, ...answer } = await window.answered(message);
    return data ? { ...answer, data: Uint8Array.from(data).buffer } : answer;
  },
});
"""


def first_page(folder):
    """The site's first page in a folder, with all that it loads."""
    _static(folder, [shown.LESSONS / "00_one_queue.ipynb"])
    template = Environment(loader=FileSystemLoader(WEBSITE / "templates")).get_template(
        "landing.html"
    )
    text = template.render(
        metatags=HEAD, pathto=lambda name, resource=0: name if resource else f"{name}.html"
    )
    _page(folder, text)


def scenes_page(folder, *places):
    """A page with the places of scenes, given as (lesson, number)."""
    _static(folder, [shown.LESSONS / f"{lesson}.ipynb" for lesson, _ in places])
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Scenes</title>'
    head += '<link rel="icon" href="data:,">'
    for name in ("address.js", "scene_records.js", "scene.js"):
        head += f'<script defer src="{STATIC}/{name}"></script>'
    parts = (
        f'<div class="qoslib-live" data-lesson="{lesson}" data-kind="scene"'
        f' data-number="{number}"><p>stored picture</p></div>'
        for lesson, number in places
    )
    _page(folder, f"{head}<main>{''.join(parts)}</main>")


def predictions_page(folder, *names):
    """A page that asks for predictions, each in a section with an answer and what follows it."""
    _static(folder, [])
    for name, content in questions.files().items():
        (folder / STATIC / name).write_bytes(content)
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Predictions</title>'
    head += '<link rel="icon" href="data:,">'
    for name in ("questions.js", "zip.js", "predict.js"):
        head += f'<script defer src="{STATIC}/{name}"></script>'
    parts = (
        f'<div class="qoslib-predict" data-name="{name}"><p>asked</p></div><p>before</p>'
        f'<details class="qoslib-answer" data-name="{name}"><summary>Show</summary>answer {name}'
        f"</details><pre>after {name}</pre>"
        for name in names
    )
    # The last two share a section, and below all there is an output that gives each answer away.
    first, *others = parts
    below = "".join(
        f'<div class="qoslib-after" data-name="{name}"><pre>below {name}</pre></div>'
        for name in names
    )
    sections = "".join(f"<section>{each}</section>" for each in (first, "".join(others), below))
    _page(folder, f"{head}<main>{sections}</main>")


@contextmanager
def served(folder):
    """The address of a folder on loopback, as long as it is asked for."""
    handler = partial(Quiet, directory=folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


class Quiet(SimpleHTTPRequestHandler):
    """It says nothing of what it serves."""

    def log_message(self, *words):
        pass


def _static(folder, lessons):
    to = folder / STATIC
    shutil.copytree(WEBSITE / "page", to, dirs_exist_ok=True)
    (to / "scenes").mkdir(exist_ok=True)
    for name, text in scene_records.players().items():
        (to / name).write_text(text)
    for lesson in lessons:
        for name, text in scene_records.records(lesson).items():
            (to / "scenes" / name).write_text(text)


def _page(folder, text):
    (folder / "index.html").write_text(text)
