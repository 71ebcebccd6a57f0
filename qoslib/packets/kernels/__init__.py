"""What runs for each packet, compiled: numbers and arrays, rules chosen by the codes of `codes`.

No module here lists its names: one that begins with an underscore is used in its file alone.
"""
