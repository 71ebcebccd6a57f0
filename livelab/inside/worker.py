"""The process that holds the lab's namespaces: it runs commands in them, and all end with it.

It is the first process of its own pid namespace. When its input ends, because the program that
started it closed the lab or died, it exits, and the kernel ends every process that it started.
"""

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

#: bpf(2): its number by machine, the command that loads a program, and the type of classifiers.
BPF_CALL = {"x86_64": 321, "aarch64": 280}
BPF_PROG_LOAD, SCHED_CLS = 5, 3
LAWS = ("reno", "cubic", "bbr", "dctcp")
#: ``r0 = 0; exit``.
NOTHING = bytes.fromhex("b7000000000000009500000000000000")


def main() -> None:
    """Answer one line of JSON with another, each request in a thread of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers, running = threading.Lock(), dict[int, subprocess.Popen[str]]()

    def say(answer: dict[str, Any]) -> None:
        with answers:
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()

    def serve(request: dict[str, Any]) -> None:
        try:
            say({"id": request["id"], **DONE[request["do"]](request, running)})
        except Exception as error:
            say({"id": request["id"], "code": 127, "out": "", "err": str(error)})

    for line in sys.stdin:
        threading.Thread(target=serve, args=(json.loads(line),), daemon=True).start()
    os._exit(0)


def run(request: dict[str, Any], running: dict[int, subprocess.Popen[str]]) -> dict[str, Any]:
    """Run a command in one of the network namespaces, and wait for its end."""
    net = ["nsenter", f"--net=/run/netns/{request['net']}", "--"] if request["net"] else []
    pipe = subprocess.PIPE
    command = subprocess.Popen(
        [*net, *request["argv"]], stdin=pipe, stdout=pipe, stderr=pipe, text=True
    )
    running[request["id"]] = command
    out, err = command.communicate(request["text"])
    del running[request["id"]]
    return {"code": command.returncode, "out": out, "err": err}


def stop(request: dict[str, Any], running: dict[int, subprocess.Popen[str]]) -> dict[str, Any]:
    """End a command that was started, if it still runs."""
    command = running.get(request["job"])
    if command is not None:
        command.kill()
    return {"code": 0, "out": "", "err": ""}


def identity(request: dict[str, Any], running: dict[int, subprocess.Popen[str]]) -> dict[str, Any]:
    """The kernel's numbers of the namespaces, by which one can see that they are gone."""
    numbers = {kind: os.stat(f"/proc/self/ns/{kind}").st_ino for kind in ("mnt", "net", "pid")}
    for name in sorted(os.listdir("/run/netns")) if os.path.isdir("/run/netns") else []:
        numbers[name] = os.stat(f"/run/netns/{name}").st_ino
    return {"code": 0, "out": json.dumps(numbers), "err": ""}


def offered(request: dict[str, Any], running: dict[int, subprocess.Popen[str]]) -> dict[str, Any]:
    """What sockets, devices and system calls offer here: an error by name, empty where it works."""
    tries: dict[str, Callable[[], object]] = {
        "AF_PACKET": _packet_socket,
        "TUN": lambda: os.close(os.open("/dev/net/tun", os.O_RDWR)),
        "BPF": _bpf,
        **{law: partial(_congestion_control, law) for law in LAWS},
        "ecn": _ecn,
    }
    found = {}
    for name, attempt in tries.items():
        try:
            attempt()
            found[name] = ""
        except OSError as error:
            found[name] = error.strerror or str(error)
    return {"code": 0, "out": json.dumps(found), "err": ""}


def _packet_socket() -> None:
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0).close()


def _congestion_control(name: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as made:
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name.encode())


def _ecn() -> None:
    """Let TCP ask for ECN (RFC 3168), in this process's own network namespace."""
    with open("/proc/sys/net/ipv4/tcp_ecn", "w", encoding="ascii") as setting:
        setting.write("1")


def _bpf() -> None:
    """Load a program of two instructions, which the kernel forgets when it is closed."""
    program, licence = ctypes.create_string_buffer(NOTHING), ctypes.create_string_buffer(b"GPL")
    attributes = (ctypes.c_uint64 * 6)(
        SCHED_CLS | (len(NOTHING) // 8 << 32), ctypes.addressof(program), ctypes.addressof(licence)
    )
    call = ctypes.CDLL(None, use_errno=True).syscall
    found = call(
        BPF_CALL[os.uname().machine],
        BPF_PROG_LOAD,
        ctypes.byref(attributes),
        len(bytes(attributes)),
    )
    if found < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    os.close(found)


DONE = {"run": run, "stop": stop, "identity": identity, "offered": offered}

if __name__ == "__main__":
    main()
