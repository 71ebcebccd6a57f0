"""The queues of a port of SONiC: schedulers, shares of the memory, and WRED profiles."""

from typing import Any

from qoslib import units
from qoslib.config.provenance import Provenance
from qoslib.config.sonic.config_db import MOST, ConfigDb, Fields
from qoslib.config.sonic.tables import RefusedError, shown
from qoslib.config.values import Value, of_default, of_fact
from qoslib.port import ByteLimit, ByteRedProfile, Instantaneous, Queue, Red, Shaper, TailDrop

__all__ = ["PortReader"]

_SCHEDULERS = ("DWRR", "WRR", "STRICT")
_MARKING = ("ecn_all", "ecn_green", "ecn_green_yellow", "ecn_green_red")
_IN_PACKETS = (
    "Rates in packets per second are not modelled: nothing is promised on ports with them."
)
#: No rate in bytes per second is larger.
_MOST_BYTES = units.octets(MOST)
_HUNDRED = 100


class PortReader:
    """The queues of one port, and what is noted while they are made.

    Attributes
    ----------
    notes : Provenance
        Where the numbers of the port come from.
    strict : list of str
        Queues with strict priority, from the first that was made.
    in_packets : bool
        Whether a rate of the port is in packets per second, which nothing here counts.
    """

    def __init__(self, db: ConfigDb, port: str) -> None:
        self.db, self.port, self.notes = db, port, Provenance()
        self.strict: list[str] = []
        self.in_packets = False

    def queue(self, number: int) -> Queue:
        """A queue; where a fact is missing with a stand-in for its limit."""
        name = f"queue {number}"
        where = f"queues[{name!r}]"
        queue = Queue(name, ByteLimit(1))
        given = self.db.of_queue("QUEUE", self.port, number)
        if "scheduler" in given:
            queue = self._scheduled(self.db.named("SCHEDULER", given["scheduler"]), queue, where)
        else:
            queue = queue.replace(weight=self._weight(None, where))
        buffer = self.db.of_queue("BUFFER_QUEUE", self.port, number).get("profile")
        queue = queue.replace(**self._memory(buffer, where))
        return queue.replace(**self._wred(given.get("wred_profile"), where))

    def shaper(self, where: str) -> Shaper | None:
        """What `pir` and `pbs` of the scheduler of the whole port say."""
        field = self.db.of_port(self.port, "scheduler")
        return self._shaper(self.db.named("SCHEDULER", field), where) if field else None

    def _number(
        self, where: str, field: Value, what: str, least: float, most: float = MOST
    ) -> float:
        """A number of the port, whose origin is noted."""
        self.notes.record_origin(where, field)
        return self.db.number(field, what, least, most)

    def _shaper(self, scheduler: str, where: str) -> Shaper | None:
        fields = self.db.entry("SCHEDULER", scheduler)
        pir, pbs = fields.get("pir"), fields.get("pbs")
        if pir is None or not self.db.number(pir, "pir", 0) or self._counts_packets(scheduler):
            return None
        rate_bps = units.bits(self._number(f"{where}.rate_bps", pir, "pir", 0, _MOST_BYTES))
        if not pbs or not int(self.db.number(pbs, "pbs", 0)):
            pbs = of_default("sonic.pbs")
        self.notes.record_origin(f"{where}.burst_bytes", pbs)
        return Shaper(rate_bps, int(float(pbs.value)))

    def _counts_packets(self, scheduler: str) -> bool:
        """Whether its rates are in packets, which no shaper here counts."""
        meter = self.db.entry("SCHEDULER", scheduler).get("meter_type")
        if meter is None or meter.value != "packets":
            return False
        self.db.lose("SCHEDULER", scheduler, _IN_PACKETS)
        self.in_packets = True
        return True

    def _scheduled(self, scheduler: str, queue: Queue, where: str) -> Queue:
        fields = self.db.entry("SCHEDULER", scheduler)
        kind = fields.get("type")
        if kind and kind.value not in _SCHEDULERS:
            problem = f"the type of a scheduler is {shown(kind.value)}"
            raise RefusedError(f"{problem}; allowed: {', '.join(_SCHEDULERS)}", kind)
        if kind and kind.value == "STRICT":
            self.strict.append(queue.name)
        if (not kind or kind.value == "WRR") and "SCHEDULER" in self.db.tables:
            lost = "Turns are of packets; here a weight is a share of the bytes."
            self.db.lose("SCHEDULER", scheduler, lost)
        queue = queue.replace(weight=self._weight(fields.get("weight"), where))
        cir = fields.get("cir")
        if cir and not self._counts_packets(scheduler):
            rate = self._number(f"{where}.guaranteed_bps", cir, "cir", 0, _MOST_BYTES)
            queue = queue.replace(guaranteed_bps=units.bits(rate))
        return queue.replace(shaper=self._shaper(scheduler, f"{where}.shaper"))

    def _weight(self, field: Value | None, where: str) -> float:
        if field:
            return self._number(f"{where}.weight", field, "the weight", 1, 10_000)
        weight = of_default("sonic.weight")
        self.notes.record_origin(f"{where}.weight", weight)
        return float(weight.value)

    def _memory(self, buffer: Value | None, where: str) -> dict[str, Any]:
        """Its limit, and its part of a pool."""
        profile = self.db.named("BUFFER_PROFILE", buffer) if buffer else ""
        if buffer is None or "BUFFER_PROFILE" not in self.db.tables:
            question = "How many bytes of buffer may a queue of this port take?"
            return self._asked(question, self.db.line("QUEUE", self.port), where)
        fields = self.db.entry("BUFFER_PROFILE", profile)
        pool, size, static = (fields.get(name) for name in ("pool", "size", "static_th"))
        if pool is None:
            raise RefusedError(f"the profile {shown(profile)} names no pool", buffer)
        name = self.db.named("BUFFER_POOL", pool)
        reserved = int(self.db.number(size, "the size", 0)) if size else 0
        total, limit = self.db.pools.get(name), f"{where}.limit.limit_bytes"
        given: dict[str, Any] = {}
        if static:
            given["limit"] = ByteLimit(int(self._number(limit, static, "static_th", 1)))
        elif total is None:
            question = f"How many bytes has the pool {name} of this device?"
            return self._asked(question, pool.line, where)
        else:
            self.notes.record_origin(limit, pool)
            given["limit"] = ByteLimit(total)
        if total is None:
            return given
        return given | {"pool": name, "reserved_bytes": reserved} | self._threshold(fields, where)

    def _asked(self, question: str, line: int, where: str) -> dict[str, Any]:
        """The limit that the reader says; it is asked for where nobody did."""
        size = of_fact(self.db.facts, self.port, "buffer_bytes")
        if size is None or size.value < 1:
            self.notes.ask(self.db.facts, self.port, "buffer_bytes", question, line)
            return {}
        self.notes.record_origin(f"{where}.limit.limit_bytes", size)
        return {"limit": ByteLimit(int(size.value))}

    def _threshold(self, fields: Fields, where: str) -> dict[str, Any]:
        """What it may take of what is free in its pool."""
        size, dynamic = fields.get("size"), fields.get("dynamic_th")
        if size:
            self.notes.record_origin(f"{where}.reserved_bytes", size)
        if not dynamic:
            return {}
        return {"alpha": 2.0 ** self._number(f"{where}.alpha", dynamic, "dynamic_th", -8, 8)}

    def _wred(self, field: Value | None, where: str) -> dict[str, Any]:
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
        place = f"{where}.dropper.profile" if drops else f"{where}.marking"
        thresholds = self._thresholds(low, high, fields.get("green_drop_probability"), place)
        if not drops:
            return {"dropper": TailDrop(), "marking": thresholds if marks else None}
        self.notes.record_origin(f"{where}.dropper.averaging", of_default("sonic.averaging"))
        return {"dropper": Red(thresholds, averaging=Instantaneous(), ecn=marks)}

    def _thresholds(
        self, low: Value, high: Value, chance: Value | None, place: str
    ) -> ByteRedProfile:
        least = self._number(f"{place}.minimum_bytes", low, "the threshold", 0)
        most = self._number(f"{place}.maximum_bytes", high, "the threshold", 0)
        if least > most or not most:
            raise RefusedError("the minimum threshold is above the maximum", low)
        if chance is None:
            return ByteRedProfile(least, most, 1.0)
        where = f"{place}.maximum_probability"
        percent = self._number(where, chance, "the probability", 0, _HUNDRED)
        return ByteRedProfile(least, most, percent / _HUNDRED)
