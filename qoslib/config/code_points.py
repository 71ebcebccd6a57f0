"""Names of the code points of differentiated services."""

__all__ = ["DSCP", "MARKS"]

#: Mark -> its code point (RFC 2474, 2597, 3246, 5865, 8622), in the order of the code points.
DSCP = {
    "CS0": 0, "LE": 1, "CS1": 8, "AF11": 10, "AF12": 12, "AF13": 14, "CS2": 16, "AF21": 18,
    "AF22": 20, "AF23": 22, "CS3": 24, "AF31": 26, "AF32": 28, "AF33": 30, "CS4": 32, "AF41": 34,
    "AF42": 36, "AF43": 38, "CS5": 40, "VA": 44, "EF": 46, "CS6": 48, "CS7": 56,
}  # fmt: skip
#: Code point -> mark.
MARKS = {code: mark for mark, code in DSCP.items()}
