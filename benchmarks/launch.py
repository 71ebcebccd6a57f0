"""Run a command, and say on the last line of standard error its processor time and memory.

A small process of its own, because the peak that the system reports for a process begins with
that of the process which started it.
"""

import json
import os
import resource
import subprocess
import sys
import time

if __name__ == "__main__":
    began_s = time.perf_counter()
    done = subprocess.run(sys.argv[1:], check=False)
    wall_s = time.perf_counter() - began_s
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    kilo = 1 if sys.platform == "darwin" else 1024
    usage = {"process_s": used.ru_utime + used.ru_stime, "wall_s": wall_s}
    os.write(2, f"\n{json.dumps(usage | {'peak_mb': used.ru_maxrss * kilo / 1e6})}".encode())
    sys.exit(done.returncode)
