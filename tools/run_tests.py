"""Run the test groups beside each other: a line for each, and the whole output of a failed one.

python tools/run_tests.py [GROUP ...]
"""

import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / ".test-output"
NEWER = ("3.14", "3.13", "3.12")
PYTEST = (sys.executable, "-m", "pytest", "--color=no")
#: A progress bar, which a slow machine shows, would stand in the compared output of a lesson.
QUIET = {**os.environ, "TQDM_DISABLE": "1"}
#: Each of a hundred processes would compile all modules that it imports.
QUIET.pop("PYTHONDONTWRITEBYTECODE", None)
#: The second Python plays the first tenth of each engine's scenes: all have run on the first, and
#: what it does otherwise, it does from the first scene of a mechanism on.
#: Its pip compiles no module (it takes "0" for yes here): a tenth of them is ever imported.
#: Its kernels are others.
PART = {"newer": {"QOSLIB_PART": "10", "PIP_NO_COMPILE": "0", "SETUP_KERNELS": ""}}
#: What no unit test runs: groups of their own.
APART = (
    "tests/browser",
    "tests/live",
    "tests/site",
    "tests/website",
    "tests/lessons/test_handout.py",
)


class Skipped(Exception):
    """Raised by a group that has nothing to run, with the reason."""


def needs(pattern):
    if not any(ROOT.glob(pattern)):
        raise Skipped(f"there is no {pattern}")


def kernels():
    """Compile what has changed, once for all groups: a lesson would say that it waits for that."""
    return ((sys.executable, "tools/compile_kernels.py"),)


def lint():
    return (
        (sys.executable, "-m", "ruff", "check", "--output-format=concise"),
        (sys.executable, "-m", "ruff", "format", "--check"),
    )


def types():
    return ((sys.executable, "-m", "mypy"),)


def unit():
    others = (f"--ignore={each}" for each in (*APART, *scoreboard_files()))
    return ((*PYTEST, "-n", "2", "tests", *others),)


def doctests():
    return (
        (
            *PYTEST,
            "--doctest-modules",
            "--doctest-glob=*.md",
            "qoslib",
            "livelab",
            "README.md",
            "docs",
        ),
    )


def notebooks():
    needs("notebooks/*.ipynb")
    nbval = ("-p", "nbval.plugin", "--nbval", "--nbval-cell-timeout=120")
    return ((*PYTEST, *nbval, "notebooks"),)


def handout():
    """The lessons as students and instructors get them: every check, with and without solutions."""
    return ((*PYTEST, "tests/lessons/test_handout.py"),)


def scoreboard():
    """What asks the models for published experiments, in one process; last, with whole tests."""
    return ((*PYTEST, *sorted(scoreboard_files(), key=lambda path: "test_whole" in path)),)


def scoreboard_files():
    return files_with("answered_once")


def browser():
    needs("tests/browser/test_*.py")
    return ((*PYTEST, "tests/browser"),)


def wasm():
    """The kernels compiled for a web page, and calls of them held against numba's."""
    if not (ROOT / "build" / "zig").is_dir() and os.environ.get("CI") != "true":
        raise Skipped("zig, which links the kernels, is not installed: `make wasm` does that")
    tools = ("build/zig/ziglang", "build/npm/node_modules")
    return (("make", "--no-print-directory", *tools), (*PYTEST, "tests/website"))


def live():
    """Packets on this machine's kernel: nothing else may run beside it."""
    return ((*PYTEST, "tests/live"),)


def newer():
    """The unit tests that may depend on the version, on the newest Python that is newer."""
    version, python = newer_python()
    venv = f".venv-{version}"
    return (
        ("make", "--no-print-directory", f"VENV={venv}", f"PYTHON={python}", f"{venv}/.ready"),
        (f"{venv}/bin/python", *PYTEST[1:], *files_with("mark.newer"), "-m", "newer"),
    )


def files_with(word):
    """Files of tests with a word, say a mark: to collect all others takes long."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    return [str(path.relative_to(ROOT)) for path in files if word in path.read_text()]


def newer_python():
    here = "{}.{}".format(*sys.version_info)
    pyenv = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser()
    for version in NEWER[: NEWER.index(here)] if here in NEWER else NEWER:
        on_path = shutil.which(f"python{version}")
        folders = sorted(pyenv.glob(f"versions/{version}.*/bin/python"))
        for python in [*folders, *([on_path] if on_path else [])]:
            # A shim on PATH may stand for a version that is not active: only running it tells.
            if (
                subprocess.run([python, "-c", "import ensurepip"], capture_output=True).returncode
                == 0
            ):
                return version, python
    raise Skipped(f"no Python newer than {here} found on PATH or in pyenv")


#: Phases follow each other. In each, so many groups run at a time, and they begin in this order.
PHASES = (
    # A fresh machine compiles kernels for half a minute, on one core; the others need none.
    (2, (kernels, types, lint)),
    # A browser waits often. Of the others only `unit` can use both cores, so it is the last: a
    # long group that uses one would leave the other idle at the end.
    (3, (live, doctests, handout, notebooks, browser, scoreboard, newer, wasm, unit)),
)
GROUPS = {f.__name__: f for _, phase in PHASES for f in phase}
#: They wait for packets or pages, and go on as soon as these are there: the others are polite.
PROMPT = {"live", "browser"}
POLITE = ("nice", "-n", "4")
#: Groups that run no model.
WITHOUT_KERNELS = {"lint", "types"}


def ended(command, environment, out):
    """Return the exit status of a command, and its time of the processor [s]."""
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=subprocess.STDOUT,
    ) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, used.ru_utime + used.ru_stime


def run(name):
    """Return (outcome, seconds, those of the processor, output) of one group.

    Its commands stop at the first that fails.
    """
    start, worked_s = time.monotonic(), 0.0
    log = LOGS / f"{name}.log"
    outcome = "passed"
    with log.open("w") as out:
        try:
            for command in GROUPS[name]():
                polite = () if name in PROMPT else POLITE
                status, more_s = ended((*polite, *command), QUIET | PART.get(name, {}), out)
                worked_s += more_s
                if status:
                    outcome = "failed"
                    break
        except Skipped as reason:
            # Everything is there in CI but, perhaps, a second Python: what is missing is a mistake.
            outcome = "failed" if os.environ.get("CI") == "true" and name != "newer" else "skipped"
            out.write(f"{reason}\n")
    output = log.read_text()
    if outcome == "passed" and re.search(r"^\d+ skipped in [\d.]+s\s*\Z", output, re.MULTILINE):
        outcome = "skipped"
    return outcome, time.monotonic() - start, worked_s, output


def report(name, outcome, seconds, worked_s, output):
    lines = output.rstrip().splitlines() or [""]
    took = f"{seconds:6.1f} s {worked_s:6.1f} s of the processor"
    print(f"{name:10} {outcome:8} {took}   {lines[-1].strip('= ')}", flush=True)
    shown = (
        lines if outcome == "failed" else [x for x in lines[:-1] if re.match("SKIPPED|RETRIED", x)]
    )
    for line in shown:
        print(f"    {line}", flush=True)


def main(names):
    unknown = set(names) - set(GROUPS)
    if unknown:
        sys.exit(f"no such group: {', '.join(sorted(unknown))}; there are {', '.join(GROUPS)}")
    LOGS.mkdir(exist_ok=True)
    outcomes = []
    wanted = set(names or GROUPS)
    if wanted - WITHOUT_KERNELS:
        wanted.add("kernels")
    for most, phase in PHASES:
        with ThreadPoolExecutor(most) as pool:
            jobs = {}
            for name in [group.__name__ for group in phase if group.__name__ in wanted]:
                job = pool.submit(run, name)
                jobs[job] = name
                if name == "live":
                    # One core is for packets on their way: it takes the place of two.
                    pool.submit(job.result)
            for job in as_completed(jobs):
                report(jobs[job], *job.result())
                outcomes.append(job.result()[0])
    skipped = outcomes.count("skipped")
    counts = f"{outcomes.count('passed')} passed, {outcomes.count('failed')} failed"
    print(counts + (f", {skipped} skipped" if skipped else ""))
    return "failed" in outcomes


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
