"""The list of all lessons: each with its question, its minutes and its first picture."""

import html
import re

from website.lessons import Lesson

__all__ = ["listed"]

#: The parts of the course, by the number of the lesson that begins each.
PARTS = {
    "00": ("Queues", "The packets of several classes share one port."),
    "06": (
        "Senders that respond",
        "TCP slows down when packets are dropped, so its rate depends on the buffer.",
    ),
    "09": (
        "Compare and judge",
        "You compare four ports, judge a configuration, and weigh the evidence for a model.",
    ),
    "12": (
        "Your network",
        "You test the models on your own kernel, and use them for your own router.",
    ),
}


def listed(lessons: list[Lesson], pictures: dict[str, str]) -> str:
    """The Markdown of the list.

    Parameters
    ----------
    lessons : list of Lesson
        In their order.
    pictures : dict
        Name of a lesson -> the file of its first picture.

    Returns
    -------
    str
        Markdown.
    """
    parts: list[str] = []
    for lesson in lessons:
        if lesson.number in PARTS:
            title, said = PARTS[lesson.number]
            parts += ["</ol>"] if parts else []
            parts += [f"## {title}", said, '<ol class="qoslib-lessons">']
        parts.append(_entry(lesson, pictures.get(lesson.name, "")))
    names = "\n".join(lesson.name for lesson in lessons)
    parts += ["</ol>", f"```{{toctree}}\n:hidden:\n\n{names}\nglossary\n```"]
    return "\n\n".join(parts)


def _entry(lesson: Lesson, picture: str) -> str:
    minutes = f"{lesson.minutes[0]} min" if lesson.minutes else ""
    shown = f"![]({picture})" if picture else ""
    learn = _learned(lesson)
    return (
        f'<li>\n\n<span class="number">{lesson.number}</span>'
        f' <span class="minutes">· {minutes}</span>\n\n{shown}\n\n'
        f'[{lesson.title}]({lesson.name}.md)\n\n<span class="said">{learn}</span>\n\n</li>'
    )


def _learned(lesson: Lesson) -> str:
    """What the opening says that a reader will learn: its first sentence."""
    texts = ("".join(cell["source"]) for cell in lesson.cells)
    found = next(filter(None, (re.search(r"\*\*You will learn:\*\* ([^.]+\.)", t) for t in texts)))
    words = html.escape(" ".join(found[1].split()), quote=False)
    return f"You learn {words}"
