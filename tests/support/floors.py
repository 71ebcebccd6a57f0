"""The rooms of the package: each imports only from the rows above its own."""

#: A room imports only from the rows above its own.
FLOORS = (
    ("units", "tolerances"),
    ("record", "tables"),
    ("memory", "quality"),
    ("port", "traffic", "flows", "results"),
    ("scenario",),
    ("measurements",),
    ("telemetry",),
    ("platforms",),
    ("packets",),
    ("fluid",),
    ("config",),
    ("tcp",),
    ("front",),
    ("checks",),
    ("compare",),
    ("findings",),
    ("plots",),
    ("explore", "worksheet"),
    ("lessons",),
    ("__main__",),
)
