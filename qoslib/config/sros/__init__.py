"""Nokia SR OS: queues of SAPs and network ports, schedulers in tiers, and slopes.

Classic configurations, indented or in lines from the top, and those of MD-CLI.
"""

from qoslib.config.sros.reader import is_sros, read_sros
from qoslib.config.sros.writer import write_sros

__all__ = ["is_sros", "read_sros", "write_sros"]
