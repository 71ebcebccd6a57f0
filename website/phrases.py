"""What lessons say to readers in JupyterLab, as their pages say it."""

import re

__all__ = ["on_a_page"]

#: What a text says to readers in JupyterLab -> what it says on a page.
ON_A_PAGE = (
    (r"Click on the box of code below and press \*\*Shift \+ Enter\*\*\.", ""),
    (r" The first run takes about ten seconds, on a busy computer [^.]*\. Then drag", " Drag"),
    (r"Run the cell with \*\*Shift \+ Enter\*\*(,| and) press", "Press"),
    (r"Run the cell with \*\*Shift \+ Enter\*\*\. ", ""),
    (r"Run the cell and press", "Press"),
    (r"Type any of these words to find it: [\s\S]*", ""),
    (r"Run the cells from top to bottom [\s\S]*?(?=The next cell)", ""),
    (r"The next cell only fetches the tools\.", ""),
    (r"before you run the next cell", "before you read on"),
    (
        r"On the left is the text, and on the right the port that it makes\. [\s\S]*?(?=\n\n)",
        "Edit the text. The report below it gives the rate of each class, and the findings with"
        " their lines. The packet model runs with 30 Mb/s of EF and 80 Mb/s of other traffic."
        " After a change, a table compares *before* with *after*.",
    ),
    (r"numbers change on the right\?", "numbers change?"),
    (
        r"On the left is the text, on the right the port, [\s\S]*? This view ends at your port:",
        "Edit the text. The report below it gives the rate of each class, and the findings with"
        " their lines. After a change, a table compares *before* with *after*. The check ends at"
        " your port:",
    ),
    (r"Choose \*your own text\*, and paste your configuration\.", "Paste your own configuration."),
    (r"Then move the loads\.", "Then change the loads."),
    (r"[Rr]un cells, ", ""),
    (r"in place of the dots and run the cell\.", "in the box and press **Check**."),
    (
        r"Where your copy has solutions, they are in folded cells: click [^.]* to open one\.",
        'Open "Solution" to see one, and what its check says.',
    ),
    (r"on paper or in a text cell of your own,", "on paper,"),
    (r"Copy these lines into the cell, above `check`\. Then change them", "Change these lines"),
    (
        r"Change ([^.]*) and run the cell again\.",
        r"In JupyterLab, change \1 and run the cell again.",
    ),
    (r"in a new cell", "in JupyterLab"),
    (r"Change `False` to `True`", "In JupyterLab, change `False` to `True`"),
    (r"The next cells", "The next blocks of code"),
    (r"The next cell", "The next block of code"),
    (r"the next cells", "the next blocks of code"),
    (r"the next cell", "the next block of code"),
    (r"The cell below", "The block below"),
)


def on_a_page(text: str) -> str:
    """A text without what it says to readers in JupyterLab."""
    for pattern, said in ON_A_PAGE:
        text = re.sub(pattern.replace(" ", r"\s+"), said, text)
    return text.strip()
