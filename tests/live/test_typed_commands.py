"""What lesson 12 gives the reader to type makes a queue that drops, in a namespace of its own."""

import os
import re
import subprocess

import pytest

from livelab import lesson
from livelab.probe import lacking, probe


def test_the_commands_to_type_make_a_queue_that_drops(capsys):
    if missing := lacking(probe(), ("htb", "pfifo_head_drop")):
        pytest.skip(missing)
    lesson.to_type(lesson.measured("head_tail"), "head_200")
    # A shell that is typed into has a terminal: here one in which "exit" has been typed already.
    keyboard, terminal = os.openpty()
    os.write(keyboard, b"exit\n")
    done = subprocess.run(
        ["bash", "-c", capsys.readouterr().out],
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=terminal,
        text=True,
        timeout=60,
    )
    said = os.read(keyboard, 1 << 16).decode()
    os.close(terminal)
    os.close(keyboard)
    assert done.returncode == 0
    assert not re.search("error|no such|not found|not permitted", said, re.IGNORECASE), said
    counted = done.stdout.split("qdisc pfifo_head_drop")[1]
    sent, dropped = (
        int(re.search(rf"{word}", counted)[1]) for word in (r"(\d+) pkt", r"dropped (\d+)")
    )
    queued = int(re.search(r"backlog \S+ (\d+)p", counted)[1])
    assert dropped > 0
    # A few packets of the kernel's own may be among them, and some are still on their way.
    assert sent + dropped + queued >= 1000
