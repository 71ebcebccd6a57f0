"""The names of `qoslib/__init__.py` for type checkers, which load nothing."""

from qoslib.flows import Bbr as Bbr
from qoslib.flows import Cubic as Cubic
from qoslib.flows import Flow as Flow
from qoslib.flows import FqPacing as FqPacing
from qoslib.flows import Host as Host
from qoslib.flows import Reno as Reno
from qoslib.front import Sweep as Sweep
from qoslib.front import run as run
from qoslib.front import sweep as sweep
from qoslib.port import ByteLimit as ByteLimit
from qoslib.port import Chain as Chain
from qoslib.port import Classifier as Classifier
from qoslib.port import Codel as Codel
from qoslib.port import DeficitRoundRobin as DeficitRoundRobin
from qoslib.port import Fifo as Fifo
from qoslib.port import Forwarder as Forwarder
from qoslib.port import Hop as Hop
from qoslib.port import MemoryPool as MemoryPool
from qoslib.port import PacketLimit as PacketLimit
from qoslib.port import Pie as Pie
from qoslib.port import Policer as Policer
from qoslib.port import Port as Port
from qoslib.port import Queue as Queue
from qoslib.port import Red as Red
from qoslib.port import RedProfile as RedProfile
from qoslib.port import Shaper as Shaper
from qoslib.port import StrictPriority as StrictPriority
from qoslib.port import Switch as Switch
from qoslib.port import TimeLimit as TimeLimit
from qoslib.results import Result as Result
from qoslib.scenario import Scenario as Scenario
from qoslib.traffic import Cbr as Cbr
from qoslib.traffic import OnOff as OnOff
from qoslib.traffic import Poisson as Poisson
from qoslib.traffic import Stream as Stream
from qoslib.traffic import imix as imix

__version__: str
