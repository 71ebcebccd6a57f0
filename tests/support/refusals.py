"""Whatever is read, it is read or refused in one clear error, soon."""

import contextlib
import signal

import pytest

#: One try takes no longer on the processor [s].
LONGEST_S = 5


class TooLongError(BaseException):
    """Raised in a try that takes longer than a reader may."""


@contextlib.contextmanager
def soon():
    """End what takes too long on the processor; how busy the machine is does not matter."""

    def end(*_):
        raise TooLongError(f"after {LONGEST_S} s")

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, LONGEST_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def refusal(read, raw):
    """What the one error says, or nothing where all was read; any other end is a failure."""
    try:
        with soon():
            read(raw)
    except ValueError as error:
        return clear(str(error), raw)
    except (Exception, TooLongError) as error:
        pytest.fail(f"{type(error).__name__} {str(error)[:500]} from {raw[:3000]!r}")
    return ""


def clear(said, raw):
    """A message that names what is allowed and fits on a page."""
    assert "allowed" in said, (said, raw[:3000])
    assert len(said) < 2_000, (said, raw[:3000])
    return said
