"""What this kernel and these rights offer, found by doing it."""

import os
import shutil
import subprocess
from collections.abc import Iterable
from typing import NamedTuple

from livelab.lab import Lab, LabError, unavailable

__all__ = ["Found", "lacking", "probe", "report"]


class Found(NamedTuple):
    """One line of the table.

    Attributes
    ----------
    kind, name : str
    works : bool
    remedy : str
        What to do where it does not.
    """

    kind: str
    name: str
    works: bool
    remedy: str


#: Queueing discipline -> the words that make it, and what takes its place where it is missing.
_QDISCS = {
    "htb": ("htb default 1", "use tbf for one queue; several queues cannot be run"),
    "pfifo": ("pfifo limit 9", ""),
    "bfifo": ("bfifo limit 9000", ""),
    "pfifo_head_drop": ("pfifo_head_drop limit 9", ""),
    "tbf": ("tbf rate 10mbit burst 2000 limit 9000", "use htb with one class"),
    "netem": ("netem delay 1ms", "a program delays acknowledgements instead"),
    "prio": ("prio", "use htb with prio"),
    "drr": ("drr", "all experiments run"),
    "red": (
        "red limit 90000 avpkt 1000 bandwidth 10mbit",
        "all experiments run",
    ),
    "codel": ("codel", "all experiments run"),
    "pie": ("pie", "all experiments run"),
    "sfq": ("sfq", "all experiments run"),
    "fq_codel": ("fq_codel", "all experiments run"),
    "cake": ("cake", "all experiments run"),
    "dualpi2": ("dualpi2", "all experiments run"),
    "fq": ("fq", "the socket paces TCP"),
}
_FILTERS = {
    "u32": ("u32 match ip dsfield 0x20 0xfc flowid 1:1", "classes cannot be told apart"),
    "fw": ("handle 1 fw flowid 1:1", "marks have to be DSCPs"),
    "police": (
        "u32 match u32 0 0 police rate 1mbit burst 9k conform-exceed drop flowid 1:1",
        "use a shaper, which is another mechanism",
    ),
}
_SOCKETS = {
    "AF_PACKET": ("device", "the TUN device"),
    "TUN": ("device", "AF_PACKET; or `sudo chmod 666 /dev/net/tun`"),
    "BPF": ("right", "run as root: a policer by BPF needs it"),
    "reno": ("congestion control", "use another"),
    "cubic": ("congestion control", "use another"),
    "bbr": ("congestion control", "`sudo modprobe tcp_bbr`, or use another"),
    "dctcp": ("congestion control", "`sudo modprobe tcp_dctcp`; all experiments run without it"),
    "ecn": ("setting", "all experiments run; TCP answers drops alone"),
}
_RIGHTS = (
    "as root, or allow user namespaces: sysctl kernel.unprivileged_userns_clone=1,"
    " kernel.apparmor_restrict_unprivileged_userns=0, user.max_user_namespaces above 0;"
    " a container needs --privileged"
)


def probe() -> list[Found]:
    """Try each queue, filter, device and right on a virtual cable of its own.

    Returns
    -------
    list of Found
        Where there can be no lab, its one line says why.
    """
    if reason := unavailable():
        return [Found("program", "live lab", False, reason)]
    root = os.geteuid() == 0
    try:
        with Lab(build=False) as lab:
            lab.script("ip link add p0 type veth peer name p1; ip link set p0 up", "")
            found = [Found("right", "namespaces", True, "")]
            found += [Found("device", "veth", True, "")]
            found += _tried(lab, root)
            offered = lab.ask("offered")
    except (LabError, subprocess.SubprocessError) as error:
        return [Found("right", "namespaces", False, f"{error}. Run it {_RIGHTS}.")]
    for name, (kind, instead) in _SOCKETS.items():
        found.append(Found(kind, name, not offered[name], instead if offered[name] else ""))
    for name in ("iperf3",):
        there = shutil.which(name) is not None
        found.append(
            Found("program", name, there, "" if there else "the lab has a sender of its own")
        )
    return found


def _tried(lab: Lab, root: bool) -> Iterable[Found]:
    """Each queue and filter, in one shell: a line of its exit status for each."""
    lines = []
    for words, _ in _QDISCS.values():
        lines += [f"tc qdisc add dev p0 root handle 1: {words}; echo $?"]
        lines += ["tc qdisc del dev p0 root 2>/dev/null"]
    lines += ["tc qdisc add dev p0 root handle 1: htb; ("]
    lines += ["tc class add dev p0 parent 1: classid 1:1 htb rate 1mbit overhead 24 ) 2>/dev/null"]
    for number, (words, _) in enumerate(_FILTERS.values(), 1):
        lines += [f"tc filter add dev p0 parent 1: protocol ip prio {number} {words}; echo $?"]
    codes = lab.start(["sh"], "", "\n".join(lines) + "\n").wait(10.0).out.split()
    names = [*(("queue", name, each) for name, each in _QDISCS.items())]
    names += [("filter", name, each) for name, each in _FILTERS.items()]
    for (kind, name, (_, instead)), code in zip(names, codes, strict=True):
        module = {"queue": f"sch_{name}", "filter": f"cls_{name}"}[kind]
        module = "act_police" if name == "police" else module
        # Without root a module that is there is not loaded.
        load = "the kernel has no such module" if root else f"`sudo modprobe {module}` may help"
        remedy = f"{load}; without it, {instead}" if instead else load
        yield Found(kind, name, code == "0", "" if code == "0" else remedy)


def lacking(found: Iterable[Found], needs: Iterable[str]) -> str:
    """What is missing of what an experiment needs, in one sentence; empty where nothing is.

    Parameters
    ----------
    found : iterable of Found
        From `probe`.
    needs : iterable of str
        Names.

    Returns
    -------
    str

    Examples
    --------
    >>> lacking([Found("queue", "htb", False, "use tbf")], ["htb"])
    'This machine has no htb: use tbf.'
    """
    by_name = {each.name: each for each in found}
    for name in ("live lab", "namespaces", *needs):
        each = by_name.get(name)
        if each is not None and not each.works:
            return f"This machine has no {name}: {each.remedy.rstrip('.')}."
    if "namespaces" not in by_name:
        return "Nothing was probed on this machine."
    return ""


def report(found: Iterable[Found]) -> str:
    """The table: what works, and a remedy where something does not.

    Parameters
    ----------
    found : iterable of Found

    Returns
    -------
    str

    Examples
    --------
    >>> print(report([Found("queue", "netem", False, "a program")]))
    queue               netem            no   a program
    """
    return "\n".join(
        f"{each.kind:19} {each.name:16} {'yes' if each.works else 'no':4} {each.remedy}".rstrip()
        for each in found
    )
