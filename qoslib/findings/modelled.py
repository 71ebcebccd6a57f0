"""Rules that run a model: what the classes lose and how long they wait under a load."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from qoslib.checks.checked_port import CheckedPort
from qoslib.checks.rule import Finding, Found, Rule
from qoslib.checks.runner import finding_of
from qoslib.findings.losses import losses
from qoslib.findings.report import ClassRun
from qoslib.findings.report_text import UNTOLD, untold
from qoslib.findings.shadowed_classes import without_group
from qoslib.findings.targets import missed, on_targets
from qoslib.findings.under_load import SECONDS, runs
from qoslib.port import Codel, DropProfile, DualPi2, Pie, Port, Red

if TYPE_CHECKING:
    from qoslib.packets.progress import Progress

__all__ = ["MODELS", "MODEL_RULES", "BothModels", "Modelled", "both_models", "modelled"]

_LOSS = Rule("loss", "warning", "qoslib.packets.simulate", losses)
_DELAY = Rule("delay-target", "error", "qoslib.packets.simulate", missed)
#: Rules that run a model, by their ids.
MODEL_RULES = {each.id: each for each in (_LOSS, _DELAY)}
#: Processor time for the runs of a port with a fix that is tried [s].
TRIAL_SECONDS = 3.0
MODELS = {"fluid": "fluid model", "packets": "packet model"}


class Modelled(NamedTuple):
    """What models say of a port under the load that was given.

    Attributes
    ----------
    findings : tuple of Finding
    not_run : tuple of str
        A sentence for each model that could not run.
    runs : tuple of ClassRun
        Of both models, class by class; of one of them where the other does not have the port.
    met : tuple of str
        A sentence for each target that is met, or of which that cannot be told.
    doubts : tuple of str
        Why nothing rests on the packet model here, or nothing is promised; and, where it has
        settled, for which class it cannot be told whether it meets its target.
    """

    findings: tuple[Finding, ...]
    not_run: tuple[str, ...]
    runs: tuple[ClassRun, ...]
    met: tuple[str, ...]
    doubts: tuple[str, ...] = ()


class BothModels(NamedTuple):
    """What both models give of a port, and why one of them gives nothing (empty: it does)."""

    checked: CheckedPort
    fluid: tuple[ClassRun, ...]
    refused: str
    packets: tuple[ClassRun, ...]
    failed: str

    @property
    def where(self) -> str:
        """The interface and the direction."""
        return f"{self.checked.configured.interface} {self.checked.configured.direction}"

    @property
    def given(self) -> list[ClassRun]:
        """What the packet model gives under the load as it was given."""
        return [run for run in self.packets if run.load_ratio == 1]

    @property
    def doubts(self) -> list[str]:
        """Why nothing rests on the packet model."""
        if self.failed:
            return [f"{self.where}: the packet model was not run: {self.failed}."]
        unsettled = (run.changing for run in self.given if run.changing)
        return [f"{self.where}: the packet model gives no answer: {why}." for why in unsettled][:1]

    def findings(self, losses: Iterable[Found], delays: Iterable[Found] = ()) -> Iterator[Finding]:
        """Findings of what is lost, by the model whose runs decide, and of delays."""
        fluid = bool(self.doubts)
        rule = replace(_LOSS, reference="qoslib.fluid.solve") if fluid else _LOSS
        for loss in losses:
            yield finding_of(rule, loss, self.where, "fluid" if fluid else "packets")
        for delay in delays:
            yield finding_of(_DELAY, delay, self.where, "packets")

    @property
    def deciding(self) -> Sequence[ClassRun]:
        """The runs that say what is lost: the fluid model stands in for a silent packet model."""
        return self.fluid if self.doubts else self.given

    def modelled(
        self, findings: Iterable[Finding], met: Iterable[str], doubts: Iterable[str]
    ) -> "Modelled":
        """The record of what was found, with each model that could not run."""
        order = [load.name for load in self.checked.loads]
        both = sorted([*self.fluid, *self.packets], key=lambda run: order.index(run.name))
        instead = "" if self.failed else " The packet model ran instead."
        not_run = [f"The fluid model was not run: {self.refused}.{instead}"] if self.refused else []
        not_run += [f"The packet model was not run: {self.failed}."] if self.failed else []
        return Modelled(tuple(findings), tuple(not_run), tuple(both), tuple(met), tuple(doubts))


def modelled(
    checked: CheckedPort,
    ratios: Sequence[float] = (1.0,),
    progress: "Progress | None" = None,
    *,
    fixes: bool = True,
) -> Modelled:
    """What models find under the load that was given.

    Parameters
    ----------
    checked : CheckedPort
        Its loads are not assumed.
    ratios : sequence of float
        Parts of the load at which the packet model runs, 1 among them.
    progress : callable, optional
        Of the packet model, with what is done and the whole of it [s].
    fixes : bool
        Whether fixes of losses are looked for, which takes more runs.

    Returns
    -------
    Modelled

    Examples
    --------
    >>> from qoslib.config import Configuration, ConfiguredClass, ConfiguredPort, Facts
    >>> from qoslib.checks import loads
    >>> from qoslib.port import PacketLimit, Port, Queue
    >>> port = Port("access", 1e7, (Queue("all", PacketLimit(64)),))
    >>> edge = ConfiguredPort("Gi0/1", "out", port, (ConfiguredClass("all", "all"),))
    >>> sent = loads(edge, 'all = "12.5 Mb/s of 1250 B"')
    >>> got = modelled(CheckedPort(Configuration("ios-xe", (edge,)), edge, Facts(), sent))
    >>> got.findings[0].sentence, got.findings[0].model
    ('Class all loses 20 ±1 % of its offered load.', 'packets')
    """
    ran = both_models(checked, ratios, progress, SECONDS if fixes else TRIAL_SECONDS)
    found = ran.findings(
        losses(checked, ran.deciding, ran.fluid, fixes), missed(checked, ran.given)
    )
    met = dict(on_targets(checked, ran.given))
    astray = _astray(checked)
    for load in checked.loads:
        if load.target_s is not None and load.name in met and load.name in astray:
            met[load.name] = untold(load.name, load.target_s)
    open_of = [name for name, said in met.items() if said.startswith(UNTOLD)]
    undecided = f"{ran.where}: undecided whether {' and '.join(open_of)} meets its target."
    doubts = ran.doubts or ([undecided] if open_of else [])
    nowhere = (f"{ran.where}: {why}" for why in astray.values())
    return ran.modelled(found, met.values(), [*doubts, *nowhere])


def _astray(checked: CheckedPort) -> dict[str, str]:
    """The classes with a load that no packet is in, and why nobody knows where that load is."""
    sent = {load.name for load in checked.loads if load.flows or load.rate_bps}
    return {
        name: f"no line sets {group}, so no packet is in {name}, and nothing says which class its"
        " load is in."
        for name, group in without_group(checked.configuration, checked.configured).items()
        if name in sent
    }


def both_models(
    checked: CheckedPort,
    ratios: Sequence[float] = (1.0,),
    progress: "Progress | None" = None,
    seconds: float = SECONDS,
) -> BothModels:
    """Run both models, as far as they have what the port has."""
    fluid, refused = _tried(checked, "fluid")
    return BothModels(
        checked, fluid, refused, *_tried(checked, "packets", ratios, progress, seconds)
    )


def _tried(
    checked: CheckedPort,
    model: str,
    ratios: Sequence[float] = (1.0,),
    progress: "Progress | None" = None,
    seconds: float = SECONDS,
) -> tuple[tuple[ClassRun, ...], str]:
    """What a model gives for each class, or why it does not."""
    try:
        return runs(checked.configured, checked.loads, model, ratios, progress, seconds=seconds), ""
    except ValueError as error:
        lacks = _lacks(checked.port) if model == "fluid" else ""
        return (), lacks or textwrap.shorten(str(error).rstrip("."), 160)


def _lacks(port: Port) -> str:
    """What of a port's queues the fluid model does not have, in words; empty if nothing."""
    for queue in port.queues:
        early = isinstance(queue.dropper, Red | DropProfile)
        for lacks, what in (
            (isinstance(queue.dropper, Codel), "CoDel"),
            (queue.flows, "queues for flows"),
            (isinstance(queue.dropper, Pie), "PIE"),
            (isinstance(queue.dropper, DualPi2), "DualPI2"),
            (early and bool(queue.pool), "early drop in a shared memory"),
            (early and bool(queue.limits), "early drop with limits by mark"),
            (
                isinstance(queue.dropper, DropProfile) and queue.dropper.profiles,
                "drop profiles by loss priority",
            ),
            (queue.pool and queue.alpha is None, "memory that is shared without alpha"),
            (queue.pause is not None, "pauses of senders"),
        ):
            if lacks:
                return f"it has no {what}, as {queue.name} has"
    return ""
