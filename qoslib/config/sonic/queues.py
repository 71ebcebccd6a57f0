"""The queues of a port of SONiC: schedulers, shares of the memory, and WRED profiles."""

from collections.abc import Sequence

from qoslib import units
from qoslib.config.conditioners import token_bucket
from qoslib.config.lines import shown
from qoslib.config.provenance import Provenance
from qoslib.config.sonic.config_db import MOST, ConfigDb
from qoslib.config.sonic.tables import RefusedError
from qoslib.config.sourced import Sourced, in_bytes, made, number
from qoslib.config.values import Value, of_default
from qoslib.port import ByteLimit, ByteRedProfile, Instantaneous, Queue, Red, Shaper

__all__ = ["PortReader"]

_SCHEDULERS = ("DWRR", "WRR", "STRICT")
_MARKING = ("ecn_all", "ecn_green", "ecn_green_yellow", "ecn_green_red")
_IN_PACKETS = (
    "Rates in packets per second are not modelled: nothing is promised on ports with them."
)
_IN_TURN = "A turn counts packets on the switch; here a weight is a share of the bytes."
#: No rate in bytes per second is larger.
_MOST_BYTES = units.octets(MOST)
_HUNDRED = 100


class PortReader:
    """The queues of one port, and what is noted while they are made.

    Attributes
    ----------
    notes : Provenance
        What has to be asked of the port.
    strict : list of str
        Queues with strict priority, from the first that was made.
    in_turn : dict of str to str
        Queues whose turns are of packets, and the scheduler of each.
    in_packets : bool
        Whether a rate of the port is in packets per second, which nothing here counts.
    """

    def __init__(self, db: ConfigDb, port: str) -> None:
        self.db, self.port, self.notes = db, port, Provenance()
        self.strict: list[str] = []
        self.in_turn: dict[str, str] = {}
        self.in_packets = False

    def all_in_turn(self, queues: Sequence[Queue]) -> bool:
        """Whether all that are not strict take turns of packets; it notes what is lost if not."""
        sharing = [queue for queue in queues if queue.name not in self.strict]
        plain = all(not queue.guaranteed_bps and queue.weight.is_integer() for queue in queues)
        if sharing and plain and all(queue.name in self.in_turn for queue in sharing):
            return True
        for scheduler in self.in_turn.values():
            self.db.lose("SCHEDULER", scheduler, _IN_TURN)
        return False

    def queue(self, at: int) -> Sourced[Queue]:
        """A queue; where a fact is missing with a stand-in for its limit."""
        name, given = f"queue {at}", self.db.of_queue("QUEUE", self.port, at)
        scheduler = given.get("scheduler")
        if scheduler:
            fields = self._scheduled(name, scheduler)
        else:
            fields = {"weight": self._weight(None, "unscheduled")}
        buffer = self.db.of_queue("BUFFER_QUEUE", self.port, at).get("profile")
        fields |= self._memory(buffer) | self._wred(given.get("wred_profile"))
        return made(Queue, name=name, **fields)

    def shaper(self) -> Sourced[Shaper] | None:
        """What `pir` and `pbs` of the scheduler of the whole port say."""
        field = self.db.of_port(self.port, "scheduler")
        return self._shaper(self.db.named("SCHEDULER", field)) if field else None

    def _rate(self, field: Value, what: str) -> Value:
        """A rate, which is in bytes per second."""
        rate = self.db.value(field, what, 0, _MOST_BYTES)
        return rate._replace(value=units.bits(rate.value), unit="bit/s")

    def _shaper(self, scheduler: str) -> Sourced[Shaper] | None:
        fields = self.db.entry("SCHEDULER", scheduler)
        pir, pbs = fields.get("pir"), fields.get("pbs")
        if pir is None or not self.db.number(pir, "pir", 0) or self._counts_packets(scheduler):
            return None
        burst = self.db.value(pbs, "pbs", 0) if pbs else None
        if not burst or burst.value < 1:
            burst = of_default("sonic.pbs")
        return token_bucket(self._rate(pir, "pir"), burst)

    def _counts_packets(self, scheduler: str) -> bool:
        """Whether its rates are in packets, which no shaper here counts."""
        meter = self.db.entry("SCHEDULER", scheduler).get("meter_type")
        if meter is None or meter.value != "packets":
            return False
        self.db.lose("SCHEDULER", scheduler, _IN_PACKETS)
        self.in_packets = True
        return True

    def _scheduled(self, queue: str, field: Value) -> dict[str, object]:
        """What a scheduler gives a queue."""
        scheduler = self.db.named("SCHEDULER", field)
        fields = self.db.entry("SCHEDULER", scheduler)
        kind, cir = fields.get("type"), fields.get("cir")
        if kind and kind.value not in _SCHEDULERS:
            problem = f"the type of a scheduler is {shown(kind.value)}"
            raise RefusedError(f"{problem}; allowed: {', '.join(_SCHEDULERS)}", kind)
        if kind and kind.value == "STRICT":
            self.strict.append(queue)
        if (not kind or kind.value == "WRR") and "SCHEDULER" in self.db.tables:
            self.in_turn[queue] = scheduler
        found: dict[str, object] = {"weight": self._weight(fields.get("weight"))}
        if cir and not self._counts_packets(scheduler):
            found["guaranteed_bps"] = self._rate(cir, "cir")
        return found | {"shaper": self._shaper(scheduler)}

    def _weight(self, field: Value | None, default: str = "weight") -> Value:
        if field:
            return self.db.value(field, "the weight", 1, 10_000)
        return of_default(f"sonic.{default}")

    def _memory(self, buffer: Value | None) -> dict[str, object]:
        """Its limit, and its part of a pool."""
        profile = self.db.named("BUFFER_PROFILE", buffer) if buffer else ""
        if buffer is None or "BUFFER_PROFILE" not in self.db.tables:
            question = "How many bytes of buffer may a queue of this port hold?"
            return {"limit": self._asked(question, self.db.line(self.port))}
        fields = self.db.entry("BUFFER_PROFILE", profile)
        pool, size, static = (fields.get(name) for name in ("pool", "size", "static_th"))
        if pool is None:
            raise RefusedError(f"the profile {shown(profile)} names no pool", buffer)
        name = self.db.named("BUFFER_POOL", pool)
        reserved = int(self.db.number(size, "the size", 0)) if size else 0
        total = self.db.pools.get(name)
        if static:
            limit = in_bytes(self.db.number(static, "static_th", 1), static)
        elif total is None:
            question = f"How many bytes does the pool {name} of this device hold?"
            limit = self._asked(question, pool.line)
        else:
            limit = in_bytes(total, pool)
        if total is None:
            return {"limit": limit}
        found = {"limit": limit, "pool": name, "reserved_bytes": number(reserved, size)}
        if dynamic := fields.get("dynamic_th"):
            alpha = 2.0 ** self.db.number(dynamic, "dynamic_th", -8, 8)
            found["alpha"] = number(alpha, dynamic)
        return found

    def _asked(self, question: str, line: int) -> Sourced[ByteLimit]:
        """The limit that the reader says; it is asked for where nobody did."""
        size = self.notes.known(self.db.facts, self.port, "buffer_bytes", question, line)
        return in_bytes(size.value, size) if size else number(ByteLimit(1), None)

    def _wred(self, field: Value | None) -> dict[str, object]:
        """Its dropper, and the thresholds from which packets are marked."""
        if field is None:
            return {}
        profile = self.db.named("WRED_PROFILE", field)
        fields = self.db.entry("WRED_PROFILE", profile)
        low, high = fields.get("green_min_threshold"), fields.get("green_max_threshold")
        if low is None or high is None:
            self.db.lose("WRED_PROFILE", profile, "It has no thresholds for green packets.")
            return {}
        enabled, ecn = fields.get("wred_green_enable"), fields.get("ecn")
        drops = enabled is not None and enabled.value.lower() == "true"
        marks = ecn is not None and ecn.value in _MARKING
        thresholds = self._thresholds(low, high, fields.get("green_drop_probability"))
        if not drops:
            return {"marking": thresholds} if marks else {}
        averaging = number(Instantaneous(), of_default("sonic.averaging"))
        return {"dropper": made(Red, profile=thresholds, averaging=averaging, ecn=marks)}

    def _thresholds(self, low: Value, high: Value, chance: Value | None) -> Sourced[ByteRedProfile]:
        least, most = (self.db.value(each, "the threshold", 0) for each in (low, high))
        if least.value > most.value or not most.value:
            raise RefusedError("the minimum threshold is above the maximum", low)
        percent = self.db.number(chance, "the probability", 0, _HUNDRED) if chance else _HUNDRED
        return made(
            ByteRedProfile,
            minimum_bytes=least,
            maximum_bytes=most,
            maximum_probability=number(percent / _HUNDRED, chance),
        )
