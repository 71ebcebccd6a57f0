"""Three network namespaces, sender, router and receiver, in one process that takes all with it."""

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import IO, Any, NamedTuple

__all__ = ["DEVICE", "RECEIVER", "ROUTER", "SENDER", "Done", "Job", "Lab", "LabError", "python"]

#: The namespaces, and the router's device towards the receiver, which has the queues.
SENDER, ROUTER, RECEIVER = "sender", "router", "receiver"
DEVICE = "out0"
#: Where packets go, and where they come from.
ADDRESS, SOURCE = "10.0.2.1", "10.0.1.1"
INSIDE = Path(__file__).parent / "inside"
#: How long the helper may take to end [s].
PATIENCE_S = 5.0
#: How long a command inside may take where nothing else is said [s].
COMMAND_S = 20.0

# Addresses of neighbours are fixed and IPv6 is off, so that no packet passes but those of a run.
_BUILD = """
mount -t tmpfs tmpfs /run
for name in sender router receiver; do ip netns add $name; done
ip link add s0 netns sender address 02:00:00:00:00:01 type veth \
    peer name in0 netns router address 02:00:00:00:00:02
ip link add out0 netns router address 02:00:00:00:00:03 type veth \
    peer name d0 netns receiver address 02:00:00:00:00:04
"""
_INSIDE = {
    SENDER: """
for each in all default; do echo 1 > /proc/sys/net/ipv6/conf/$each/disable_ipv6 || true; done
ip link set lo up; ip link set s0 up
ip address add 10.0.1.1/24 dev s0
ip neighbour replace 10.0.1.254 lladdr 02:00:00:00:00:02 dev s0 nud permanent
ip route add default via 10.0.1.254
""",
    ROUTER: """
for each in all default; do echo 1 > /proc/sys/net/ipv6/conf/$each/disable_ipv6 || true; done
for each in all default in0 out0; do echo 0 > /proc/sys/net/ipv4/conf/$each/rp_filter; done
ip link set lo up; ip link set in0 up; ip link set out0 up
ip address add 10.0.1.254/24 dev in0
ip address add 10.0.2.254/24 dev out0
ip neighbour replace 10.0.1.1 lladdr 02:00:00:00:00:01 dev in0 nud permanent
ip neighbour replace 10.0.2.1 lladdr 02:00:00:00:00:04 dev out0 nud permanent
echo 1 > /proc/sys/net/ipv4/ip_forward
""",
    RECEIVER: """
for each in all default; do echo 1 > /proc/sys/net/ipv6/conf/$each/disable_ipv6 || true; done
ip link set lo up; ip link set d0 up
ip address add 10.0.2.1/24 dev d0
ip neighbour replace 10.0.2.254 lladdr 02:00:00:00:00:03 dev d0 nud permanent
ip route add default via 10.0.2.254
""",
}


class LabError(RuntimeError):
    """The lab cannot do what was asked; the message says what is missing or what failed."""


class Done(NamedTuple):
    """How a command inside the lab ended.

    Attributes
    ----------
    code : int
        Its exit status.
    out, err : str
    """

    code: int
    out: str
    err: str


class Job:
    """A command that runs inside the lab.

    Parameters
    ----------
    lab : Lab
    number : int
    future : Future
        Of its end.
    """

    def __init__(self, lab: "Lab", number: int, future: "Future[Done]") -> None:
        self._lab, self._number, self._future = lab, number, future

    def wait(self, timeout_s: float) -> Done:
        """Wait for its end.

        Parameters
        ----------
        timeout_s : float
            At most so long [s].

        Returns
        -------
        Done

        Raises
        ------
        LabError
            If it has not ended by then, or the lab has.
        """
        try:
            return self._future.result(timeout_s)
        except TimeoutError:
            self.stop()
            raise LabError(f"a command in the lab took longer than {timeout_s:g} s") from None

    def stop(self) -> None:
        """End it, if it still runs."""
        self._lab._ask("stop", job=self._number)


class Lab:
    """Namespaces of their own, made on entry and gone on exit, whatever happens between.

    Parameters
    ----------
    build : bool
        Whether to build sender, router and receiver; False leaves one empty namespace.

    Examples
    --------
    ::

        with Lab() as lab:
            print(lab.run(["ip", "route"], ROUTER).out)
    """

    def __init__(self, build: bool = True) -> None:
        self._build, self._next, self._lock = build, 0, threading.Lock()
        self._asked: dict[int, Future[Done]] = {}
        self._process: subprocess.Popen[str] | None = None
        #: Why the helper has ended, once it has.
        self._ended = ""

    def __enter__(self) -> "Lab":
        reason = unavailable()
        if reason:
            raise LabError(reason)
        # A session of its own: Ctrl-C reaches the program that leaves this block, not the helper.
        process = subprocess.Popen(
            [*_unshare(), *python("worker")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._process = process
        try:
            threading.Thread(target=self._listen, args=(process,), daemon=True).start()
            if self._build:
                self.script(_BUILD, "")
                for name, text in _INSIDE.items():
                    self.script(text, name)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the helper, and with it every process and namespace of the lab."""
        process, self._process = self._process, None
        if process is None:
            return
        try:
            _of(process.stdin).close()
            process.wait(PATIENCE_S)
        except (OSError, subprocess.TimeoutExpired):
            pass
        finally:
            process.kill()
            process.wait()

    def start(self, argv: Sequence[str], net: str, text: str = "") -> Job:
        """Start a command in a namespace.

        Parameters
        ----------
        argv : sequence of str
            The program and its arguments.
        net : str
            `SENDER`, `ROUTER` or `RECEIVER`; empty for the helper's own.
        text : str
            Its input.

        Returns
        -------
        Job
        """
        number, future = self._ask("run", argv=list(argv), net=net, text=text)
        return Job(self, number, future)

    def run(self, argv: Sequence[str], net: str, timeout_s: float = COMMAND_S) -> Done:
        """Run a command in a namespace and wait for its end.

        Parameters
        ----------
        argv : sequence of str
        net : str
            As of `start`.
        timeout_s : float
            At most so long [s].

        Returns
        -------
        Done
        """
        return self.start(argv, net).wait(timeout_s)

    def script(self, text: str, net: str) -> None:
        """Run lines of a shell, and stop at the first that fails.

        Parameters
        ----------
        text : str
        net : str
            As of `start`.

        Raises
        ------
        LabError
            With what the failing command said.
        """
        done = self.start(["sh", "-e"], net, text).wait(COMMAND_S)
        if done.code:
            said = " ".join(done.err.split()) or f"exit status {done.code}"
            raise LabError(f"the {net or 'helper'} could not be set up: {said}")

    def ask(self, what: str) -> dict[str, Any]:
        """What the helper itself knows: ``"identity"`` or ``"offered"``.

        Parameters
        ----------
        what : str

        Returns
        -------
        dict
        """
        found: dict[str, Any] = json.loads(self._ask(what)[1].result(COMMAND_S).out)
        return found

    def _ask(self, what: str, **more: Any) -> "tuple[int, Future[Done]]":
        process = self._process
        future: Future[Done] = Future()
        with self._lock:
            self._next += 1
            number = self._next
            if self._ended or process is None:
                raise LabError(self._ended or "the lab has ended")
            self._asked[number] = future
            try:
                line = json.dumps({"id": number, "do": what, **more}) + "\n"
                _of(process.stdin).write(line)
                _of(process.stdin).flush()
            except OSError:
                # What listens gives the reason, as soon as the helper has said it.
                pass
        return number, future

    def _listen(self, process: "subprocess.Popen[str]") -> None:
        for line in _of(process.stdout):
            answer: Mapping[str, Any] = json.loads(line)
            asked = self._asked.pop(answer["id"])
            asked.set_result(Done(answer["code"], answer["out"], answer["err"]))
        said = " ".join(_of(process.stderr).read().split())
        with self._lock:
            self._ended = said or "the lab has ended"
            for future in self._asked.values():
                future.set_exception(LabError(self._ended))


def _of(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream


def python(program: str) -> list[str]:
    """The command that runs a program of the lab with this Python, and nothing but it.

    Parameters
    ----------
    program : str
        Its name in `livelab.inside`.

    Returns
    -------
    list of str

    Examples
    --------
    >>> python("sender")[1:3]
    ['-I', '-S']
    """
    return [sys.executable, "-I", "-S", str(INSIDE / f"{program}.py")]


def unavailable() -> str:
    """Why no lab can be tried here, in one sentence; empty where one can.

    Returns
    -------
    str
    """
    if sys.platform != "linux":
        return "The live lab needs Linux: elsewhere, use the stored runs."
    # Where a login has no sbin in its path, as on Debian, tc and ip are there all the same.
    path = os.environ.get("PATH", os.defpath)
    if "/usr/sbin" not in path.split(os.pathsep):
        os.environ["PATH"] = f"{path}:/usr/sbin:/sbin"
    missing = [name for name in ("unshare", "nsenter", "ip", "tc") if not shutil.which(name)]
    if missing:
        package = "iproute2" if {"ip", "tc"} & set(missing) else "util-linux"
        return f"The live lab needs {' and '.join(missing)}: install {package}."
    return ""


def _unshare() -> list[str]:
    """With its own mounts, network and processes; as root of a user namespace without rights."""
    words = "unshare --mount --net --pid --fork --kill-child=SIGKILL --mount-proc"
    return [*words.split(), *([] if os.geteuid() == 0 else ["--user", "--map-root-user"]), "--"]
