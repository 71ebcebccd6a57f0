"""An environment of its own for each peer: the ns-3 and ns.py wheels both bring a package `ns`."""

import subprocess
import sys
import venv
from pathlib import Path

__all__ = ["PEERS", "made_environment", "versions"]

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "bench"
#: Environment -> the distributions in it that are measured.
PEERS = {"ns3": ("ns3",), "simpy": ("simpy", "ns.py")}


def made_environment(name):
    """Make an environment from its lock, once.

    Parameters
    ----------
    name : str
        A key of `PEERS`.

    Returns
    -------
    python, reason : Path or None, str
        Its interpreter, or None and the reason why there is none.
    """
    folder, lock = FOLDER / name, ROOT / "benchmarks" / f"requirements-{name}.lock"
    python, ready = folder / "bin" / "python", folder / "ready"
    if ready.exists() and ready.read_text() == lock.read_text():
        return python, ""
    print(f"bench: making {folder.relative_to(ROOT)}", file=sys.stderr, flush=True)
    venv.create(folder, clear=True, with_pip=True)
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run(
        [*pip, "--require-hashes", "-r", lock], capture_output=True, text=True, check=False
    )
    if done.returncode:
        return None, done.stderr.strip().splitlines()[-1]
    ready.write_text(lock.read_text())
    return python, ""


def versions(python, names):
    """Name and version of distributions in an environment."""
    code = "import sys, importlib.metadata as m; print(*map(m.version, sys.argv[1:]))"
    done = subprocess.run([python, "-c", code, *names], capture_output=True, text=True, check=True)
    return dict(zip(names, done.stdout.split(), strict=True))
