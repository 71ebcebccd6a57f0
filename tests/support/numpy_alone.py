"""What each room says where there is only numpy, no thread, no process and no file to write.

It is a program: it bars all else, and prints the answers as JSON. With the argument ``numba`` it
leaves out the kernels that were compiled ahead, and spares numba, with the files that this writes.
"""

import importlib
import json
import pkgutil
import sys
import time

ROOMS_BARRED = {"plots", "explore", "lessons"}
#: Packages that are not in a web page, and modules of processes and files.
BARRED = {"IPython", "anywidget", "dask", "distributed", "dpkt", "ipywidgets", "pandas", "plotly"}
BARRED |= {"scipy", "tqdm", "traitlets", "xarray"}
OF_A_MACHINE = {"llvmlite", "multiprocessing", "numba", "subprocess", "tempfile"}
#: What a page cannot do, by the name of Python's audit event.
NOT_DONE = ("_thread.start", "os.exec", "os.fork", "os.posix_spawn", "socket.", "subprocess.")

EDGE = """\
class-map match-any VOICE
 match dscp ef
class-map match-any VIDEO
 match dscp af41
policy-map EDGE
 class VOICE
  priority 1000
 class VIDEO
  bandwidth 3000
  queue-limit 64 packets
 class class-default
  queue-limit 100 packets
policy-map SHAPE
 class class-default
  shape average 10000000
  service-policy EDGE
interface GigabitEthernet0/1
 service-policy output SHAPE
"""
TRAFFIC = 'VOICE = "20 calls G.711"\nVIDEO = "3 Mb/s of 1200 B"\nclass-default = "5 Mb/s"\n'
SHOWN = """\
GigabitEthernet0/1
  Service-policy output: EDGE
    Class-map: VIDEO (match-any)
      200000 packets, 240000000 bytes
      30 second offered rate 3000000 bps, drop rate 0000 bps
      Queueing
      queue limit 64 packets
      (queue depth/total drops/no-buffer drops) 0/0/0
      (pkts output/bytes output) 200000/240000000
"""


def bar(with_numba):
    """Make this process as poor as a web page."""
    import numpy  # noqa: F401  # it looks at the system that it is on

    sys.modules.update(dict.fromkeys(BARRED | (set() if with_numba else OF_A_MACHINE)))
    sys.platform = "emscripten"
    del time.thread_time

    def refused(event, arguments):
        writes = event == "open" and set(str(arguments[1])) & set("wax+") and not with_numba
        if writes or event.startswith(NOT_DONE):
            raise RuntimeError(f"a page cannot do this: {event} {arguments}")

    sys.addaudithook(refused)


def answers():
    """What each room says."""
    import qoslib
    from qoslib import (
        Cubic,
        Flow,
        Host,
        PacketLimit,
        Port,
        Queue,
        Scenario,
        Stream,
        compare,
        findings,
        run,
        sweep,
        telemetry,
        worksheet,
    )
    from qoslib.findings.document import document
    from qoslib.findings.markdown import markdown
    from qoslib.findings.page import page
    from qoslib.findings.terminal import terminal

    for module in pkgutil.walk_packages(qoslib.__path__, "qoslib."):
        if module.name.split(".")[1] not in ROOMS_BARRED and not module.name.endswith(".jit"):
            importlib.import_module(module.name)
    line = Port("line", 1e7, (Queue("all", PacketLimit(50)),))
    office = Scenario("office", line, [Stream("data", 1.2e7, 1000)], duration_s=1.0)
    senders = [Host("host", 1e8, (Flow("flow", 0.02, Cubic()),))]
    transfer = Scenario("transfer", line, [], hosts=senders, duration_s=2.0)
    report = findings.check(EDGE, "edge.cfg", traffic=TRAFFIC, dialect="ios-xe")
    counted = findings.check(EDGE, "edge.cfg", measured=telemetry.rows(SHOWN), dialect="ios-xe")
    found = {
        "packets": run(office).to_json(),
        "fluid": run(office, "fluid").to_json(),
        "tcp": run(transfer).to_json(),
        "tcp fluid": run(transfer, "fluid").to_json(),
        "seeds": str(run(office, seeds=range(3))),
        "sweep": str(sweep(office, {"streams['data'].rate_bps": [8e6, 1.2e7]})),
        "check": document(report),
        "terminal": terminal(report, everything=True),
        "markdown": markdown(report),
        "page": page([report]),
        "counters": document(counted),
        "overlay": str(compare.overlay(office, telemetry.rows(SHOWN))),
        "scoreboard": compare.stored_scoreboard().to_json(),
        "worksheet": str(worksheet.worksheet(2e6, 0.02)),
    }
    return json.loads(json.dumps(found))


if __name__ == "__main__":
    bar(with_numba="numba" in sys.argv)
    print(json.dumps(answers()))
