"""The engine of a page in Chromium: Pyodide in a worker, which may reach no other host.

npm's Pyodide has no numpy, so a stand-in for `website.answers` replies here: what is tested is how
questions get to Python and back.
"""

import functools
import json
import os
import shutil
import threading
import zipfile
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from places import ROOT
from website import live
from website.policy import POLICY

if not live.PYODIDE.is_dir() and os.environ.get("CI") != "true":
    pytest.skip("not installed: `make build/npm/node_modules` does that", allow_module_level=True)

PAGE = f"""<!doctype html><html lang="en"><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}"><title>A page</title>
<link rel="icon" href="data:,"><script defer src="../_static/qoslib/engine.js"></script></html>"""
REPLIES = """
import json, time
kept = []

def keep(lesson, pickled):
    kept.append([lesson, bytes(pickled).decode()])

def answer_text(text, progress):
    message = json.loads(text)
    if message["ask"] == "fail":
        return 1 / 0
    if message["ask"] == "slow":
        for part in range(4):
            time.sleep(0.06)
            progress(part, 4)
    if message["ask"] == "leak":
        import js
        for reach in (js.leak, js.leakInSocket):
            reach(message["to"])
    return json.dumps({"said": message, "kept": kept}), {"raw": b"\\x01\\x02"}
"""
#: How a program in the worker might send something away.
LEAKS = """
self.leak = (to) => { fetch(to).catch(() => {}); try { importScripts(to); } catch {} };
self.leakInSocket = (to) => { try { new WebSocket(to.replace("http", "ws")); } catch {} };
"""


def served(folder, heard):
    """A server on loopback that notes what it is asked for."""

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            heard.append(self.path)

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A site of one page and an engine."""
    folder = tmp_path_factory.mktemp("site")
    for name in ("check", "_static/qoslib", "live/pyodide", "live/lessons"):
        (folder / name).mkdir(parents=True)
    (folder / "check/index.html").write_text(PAGE)
    shutil.copy(ROOT / "website/page/engine.js", folder / "_static/qoslib")
    for name in (*live.CORE, "pyodide-lock.json"):
        if (live.PYODIDE / name).is_file():
            shutil.copy(live.PYODIDE / name, folder / "live/pyodide")
    (folder / "live/worker.js").write_text(LEAKS + live.WORKER.read_text())
    with zipfile.ZipFile(folder / "live/answers.zip", "w") as archive:
        archive.writestr("website/__init__.py", "")
        archive.writestr("website/answers.py", REPLIES)
    names = ("answers.zip", "pyodide/pyodide.asm.wasm", "pyodide/python_stdlib.zip")
    sizes = {name: (folder / "live" / name).stat().st_size for name in names}
    files = {"lacks": "", "sizes": sizes, "archives": ["answers.zip"]}
    (folder / "live/files.json").write_text(json.dumps(files))
    (folder / "live/lessons/00_one_queue.pickle").write_text("pickled")
    return folder


@pytest.fixture(scope="module")
def site(folder):
    """The address of the site, and what was asked of it."""
    heard = []
    server = served(folder, heard)
    yield f"http://127.0.0.1:{server.server_port}/check/index.html", heard
    server.shutdown()


@pytest.fixture(scope="module")
def asks(browser, site):
    """Ask the engine of one page by a body of JavaScript; `asks.heard` is how it began."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(site[0])

    def asks(body, given=None):
        return page.evaluate(
            f"async (given) => {{ const engine = window.qoslibEngine; {body} }}", given
        )

    asks.page = page
    asks.heard = asks(
        """const seen = { before: [engine.status, await engine.look()], statuses: [], bytes: [] };
        engine.addEventListener("status", ({ detail }) => seen.statuses.push(detail));
        engine.addEventListener("progress", ({ detail }) => seen.bytes.push(detail));
        await engine.ask({ ask: "x" });
        return seen;"""
    )
    yield asks
    context.close()


def test_it_loads_with_progress(asks):
    heard = asks.heard
    assert heard["before"] == ["idle", "idle"]
    assert heard["statuses"] == ["loading", "ready"]
    loaded = [each["loaded"] for each in heard["bytes"]]
    assert loaded == sorted(loaded)
    assert loaded[-1] == heard["bytes"][-1]["total"]


def test_it_answers_with_what_a_lesson_shows(asks):
    heard = asks(
        """const answer = await engine.ask({ ask: "explorer", lesson: "00_one_queue", number: 0 });
        return { said: answer.said, kept: answer.kept, raw: [...new Uint8Array(answer.raw)],
          again: (await engine.ask({ ask: "x", lesson: "00_one_queue" })).kept };"""
    )
    assert heard["said"] == {"ask": "explorer", "lesson": "00_one_queue", "number": 0}
    assert heard["kept"] == heard["again"] == [["00_one_queue", "pickled"]]
    assert heard["raw"] == [1, 2]


def test_questions_wait_in_turn_and_only_the_newest_of_a_kind_stays(asks):
    heard = asks(
        """const told = [], hear = (done, whole) => told.push([done, whole]);
        const slow = engine.ask({ ask: "slow" }, hear);
        const moves = [1, 2, 3].map((at) => engine.ask({ ask: "explorer", number: 0, at }));
        const other = engine.ask({ ask: "explorer", number: 1 });
        const moved = await Promise.all(moves);
        return { told, slow: (await slow).said, other: (await other).said, moved };"""
    )
    assert heard["slow"] == {"ask": "slow"}
    assert heard["told"] == sorted(heard["told"])
    assert heard["told"][0] == [0, 4]
    assert [each.get("superseded") for each in heard["moved"]] == [True, True, None]
    assert heard["moved"][2]["said"]["at"] == 3
    assert heard["other"] == {"ask": "explorer", "number": 1}


def test_a_fault_is_one_sentence_and_the_engine_goes_on(asks):
    heard = asks(
        """return [await engine.ask({ ask: "fail" }), (await engine.ask({ ask: "x" })).said,
          await engine.ask({ ask: "explorer", lesson: "99_none" })];"""
    )
    assert heard[0] == {"error": "ZeroDivisionError: division by zero"}
    assert heard[1] == {"ask": "x"}
    assert heard[2] == {"error": "the server answers 404 for lessons/99_none.pickle"}


LEAK_OF_A_PAGE = """
    await fetch(given).catch(() => {});
    const image = new Image();
    await new Promise((then) => { image.onload = image.onerror = then; image.src = given; });
"""


@pytest.fixture
def elsewhere(tmp_path):
    """The address of another host, and what was asked of it."""
    heard = []
    server = served(tmp_path, heard)
    yield f"http://127.0.0.1:{server.server_port}/secret", heard
    server.shutdown()


def test_nothing_reaches_another_host(asks, site, elsewhere):
    to, heard = elsewhere
    asked = []
    asks.page.on("request", lambda request: asked.append(request.url))
    asks("await engine.ask({ ask: 'leak', to: given });", to)
    asks(LEAK_OF_A_PAGE, to)
    assert heard == []
    assert set(asked) <= {to}


def test_a_page_without_the_policy_would_reach_it(page, folder, site, elsewhere):
    to, heard = elsewhere
    (folder / "check/open.html").write_text(PAGE.replace(POLICY, ""))
    page.goto(site[0].replace("index", "open"))
    page.evaluate(f"async (given) => {{ {LEAK_OF_A_PAGE} }}", to)
    assert set(heard) == {"/secret"}


def test_what_runs_can_be_stopped(asks):
    heard = asks(
        """await engine.start();
        const asked = [engine.ask({ ask: "slow" }), engine.ask({ ask: "x" })];
        await new Promise((then) => setTimeout(then, 20));
        engine.stop();
        const ended = await Promise.all(asked), status = engine.status;
        return [ended, status, (await engine.ask({ ask: "x" })).said];"""
    )
    assert heard == [[{"stopped": True}, {"stopped": True}], "idle", {"ask": "x"}]


def test_what_waits_for_the_engine_can_be_stopped(asks):
    heard = asks(
        """engine.stop();
        const loading = new Promise((then) => engine.addEventListener("progress", then));
        const asked = engine.ask({ ask: "x" });
        await loading;
        engine.stop();
        return [await asked, engine.status, (await engine.ask({ ask: "x" })).said];"""
    )
    assert heard == [{"stopped": True}, "idle", {"ask": "x"}]


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ('{"lacks": "no numpy"}', "This copy of the site has no engine: no numpy."),
        (None, "The engine cannot be loaded: the server answers 404."),
        ("[", "The engine cannot be loaded: "),
    ],
)
def test_what_is_missing_is_said(page, folder, tmp_path, files, said):
    for name in ("check", "_static"):
        shutil.copytree(folder / name, tmp_path / name)
    (tmp_path / "live").mkdir()
    if files:
        (tmp_path / "live/files.json").write_text(files)
    server = served(tmp_path, [])
    page.goto(f"http://127.0.0.1:{server.server_port}/check/index.html")
    status, answer = page.evaluate(
        "async () => [await qoslibEngine.look(), await qoslibEngine.ask({ ask: 'x' })]"
    )
    server.shutdown()
    assert status == "missing"
    assert answer["error"].startswith(said)
    assert "python -m qoslib check" in answer["error"]


def test_a_page_that_is_a_file_says_so(page, folder):
    page.goto((folder / "check/index.html").as_uri())
    assert page.evaluate("qoslibEngine.look()") == "missing"
    assert page.evaluate("qoslibEngine.reason").startswith("The engine needs a web server")
