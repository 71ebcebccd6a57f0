"""Marks of packets: their code points, and each family's words for them."""

__all__ = [
    "BITS",
    "DSCP",
    "code_of",
    "mark_of",
    "marks_matching",
    "read_word",
    "words_of",
    "write_word",
]

#: Mark -> its code point (RFC 2474, 2597, 3246, 5865, 8622), in the order of the code points.
DSCP = {
    "CS0": 0, "LE": 1, "CS1": 8, "AF11": 10, "AF12": 12, "AF13": 14, "CS2": 16, "AF21": 18,
    "AF22": 20, "AF23": 22, "CS3": 24, "AF31": 26, "AF32": 28, "AF33": 30, "CS4": 32, "AF41": 34,
    "AF42": 36, "AF43": 38, "CS5": 40, "VA": 44, "EF": 46, "CS6": 48, "CS7": 56,
}  # fmt: skip
_MARKS = {code: mark for mark, code in DSCP.items()}
#: Kind of mark -> its bits: code points, IP precedences, and priorities of 802.1Q and of MPLS.
BITS = {"DSCP": 6, "IP": 3, "PCP": 3, "EXP": 3}
#: Marks for which Junos and older versions of IOS have no word.
_RARE = {"LE", "VA"}
_NAMES = {mark.lower(): code for mark, code in DSCP.items()}
_COMMON = {mark.lower(): code for mark, code in DSCP.items() if mark not in _RARE}
#: Precedences, priorities and labels of Junos (Class of Service User Guide, code-point aliases).
_JUNOS_BITS = {
    "be": 0, "be1": 1, "ef": 2, "ef1": 3, "af11": 4, "af12": 5, "nc1": 6, "nc2": 7, "cs6": 6,
    "cs7": 7,
}  # fmt: skip
#: Family and kind of mark -> its words, and their code points. Those of precedences are of RFC 791.
_WORDS = {
    ("cisco", "DSCP"): {**_NAMES, "default": 0, "voice-admit": 44},
    ("cisco", "IP"): {
        "routine": 0, "priority": 1, "immediate": 2, "flash": 3, "flash-override": 4,
        "critical": 5, "internet": 6, "network": 7,
    },
    ("junos", "DSCP"): {**_COMMON, "be": 0, "nc1": 48, "nc2": 56},
    ("sros", "DSCP"): {
        "be": 0, "nc1": 48, "nc2": 56, **_COMMON, **{f"cp{code}": code for code in range(64)},
    },
    **{("junos", kind): _JUNOS_BITS for kind in ("IP", "PCP", "EXP")},
}  # fmt: skip


def mark_of(code: int, kind: str = "DSCP") -> str:
    """The mark of a code point: its name, or its kind and number.

    >>> mark_of(46), mark_of(13), mark_of(5, "PCP")
    ('EF', 'DSCP 13', 'PCP 5')
    """
    named = kind == "DSCP" and code in _MARKS
    return _MARKS[code] if named else f"{kind} {code}"


def marks_matching(code: int, kind: str = "DSCP") -> tuple[str, ...]:
    """The marks that a code point stands for: of a precedence, also those that begin with its bits.

    >>> marks_matching(46), marks_matching(5, "IP")
    (('EF',), ('IP 5', 'CS5', 'VA', 'EF'))
    """
    within = [mark for mark, whole in DSCP.items() if kind == "IP" and whole >> 3 == code]
    return mark_of(code, kind), *within


def code_of(mark: str) -> tuple[str, int] | None:
    """Kind and code point of a mark; None if it is none.

    >>> code_of("EF"), code_of("DSCP 13"), code_of("PCP 5"), code_of("PCP 8"), code_of("voice")
    (('DSCP', 46), ('DSCP', 13), ('PCP', 5), None, None)
    """
    if mark in DSCP:
        return "DSCP", DSCP[mark]
    kind, _, number = mark.partition(" ")
    code = _whole(number, 10)
    return (kind, code) if kind in BITS and 0 <= code < 1 << BITS[kind] else None


def words_of(family: str, kind: str = "DSCP") -> dict[str, int]:
    """The words of a family for marks of a kind, and their code points.

    >>> words_of("junos")["nc1"], words_of("junos", "PCP")["nc1"]
    (48, 6)
    """
    return _WORDS.get((family, kind), {})


def read_word(word: str, family: str, kind: str = "DSCP") -> str | None:
    """The mark that a word of a family means; None if it means none.

    In Junos a number has as many bits as the kind of mark, and words are in small letters.

    >>> read_word("AF41", "cisco"), read_word("default", "cisco"), read_word("46", "cisco")
    ('AF41', 'CS0', 'EF')
    >>> read_word("101100", "junos"), read_word("nc1", "junos", "EXP")
    ('VA', 'EXP 6')
    """
    if family == "junos":
        code = _whole(word, 2) if len(word) == BITS[kind] else -1
    else:
        code, word = _whole(word, 10), word.lower()
    code = words_of(family, kind).get(word, code)
    return mark_of(code, kind) if 0 <= code < 1 << BITS[kind] else None


def write_word(mark: str, family: str) -> str:
    """A mark in a word that each device of a family has; empty if it has none.

    >>> write_word("AF41", "cisco"), write_word("VA", "cisco"), write_word("CS0", "cisco")
    ('af41', '44', 'default')
    >>> write_word("AF41", "junos"), write_word("PCP 5", "junos"), write_word("voice", "junos")
    ('100010', '101', '')
    >>> write_word("CS6", "sros"), write_word("DSCP 13", "sros")
    ('nc1', 'cp13')
    """
    known = code_of(mark)
    if known is None:
        return ""
    kind, code = known
    if family == "junos":
        return f"{code:0{BITS[kind]}b}"
    if family == "sros" and kind == "DSCP":
        return next(word for word, its in words_of(family).items() if its == code)
    if mark == "CS0" and family == "cisco":
        return "default"
    return str(code) if mark not in DSCP or mark in _RARE else mark.lower()


def _whole(text: str, base: int) -> int:
    """A whole number without a sign, of at most as many digits as a code point has; -1 if none."""
    digits = "0123456789"[:base]
    short = 0 < len(text) <= (2 if base == 10 else max(BITS.values()))
    return int(text, base) if short and not text.strip(digits) else -1
