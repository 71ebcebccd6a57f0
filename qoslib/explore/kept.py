"""Lines over a whole range, kept for as long as the reader moves only a mark along them."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

__all__ = ["kept"]


def kept(work: Callable[[dict[str, Any]], Any], mark: str) -> Callable[[dict[str, Any]], Any]:
    """Do the work anew only when a control other than `mark` has moved.

    Parameters
    ----------
    work : callable
        From the controls' values by name, all but `mark`, to what is drawn of them.
    mark : str
        Control whose value the work does not depend on.

    Returns
    -------
    callable
        From the values of all controls to the same; it remembers its last answer.
    """

    @lru_cache(maxsize=1)
    def known(others):
        return work(dict(others))

    return lambda values: known(tuple(each for each in values.items() if each[0] != mark))
