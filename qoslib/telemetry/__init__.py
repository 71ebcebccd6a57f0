"""Your own measurements, read from the output of devices and testers.

`read` takes what iperf3, flent, ``tc -s`` and the ``show`` commands of IOS, IOS-XE, IOS-XR and
Junos write, and gives the same table as `measurements.load`: one row per value, each with its unit,
its statistic and its place in the file. `rows` gives the same as plain records. `rates` takes
two readings of counters, and `arrivals` a packet capture.
"""

from qoslib.telemetry.capture import MOST_PACKETS, arrivals
from qoslib.telemetry.counters import rates
from qoslib.telemetry.reading import KINDS, kind_of, read, rows

__all__ = ["KINDS", "MOST_PACKETS", "arrivals", "kind_of", "rates", "read", "rows"]
