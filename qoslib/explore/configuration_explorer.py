"""The explorer of a configuration: edit the text, see what each class gets, before and after."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import anywidget
import ipywidgets as widgets
import traitlets

from qoslib import checks, config, plots, units
from qoslib.config.amounts import parse_amount, rate_text
from qoslib.config.interfaces import named
from qoslib.config.source import ConfigurationError
from qoslib.explore.configured_port import port_html
from qoslib.explore.control_widgets import button, dropdown, flow_of
from qoslib.explore.controls import slider
from qoslib.explore.explorer import Explorer
from qoslib.explore.export import Call
from qoslib.explore.page_code import joined
from qoslib.explore.presets import PRESETS, Preset
from qoslib.explore.upload_widget import Loader
from qoslib.findings import ClassRun, Given, offered, routed, runs, scenario_of, stand_in
from qoslib.packets.progress import Progress
from qoslib.plots.patient import WAITING, Patient, patient
from qoslib.record import checked, fail
from qoslib.scenario import Scenario

__all__ = ["ConfigurationExplorer", "ConfigurationText", "configuration"]

#: As many classes have a slider.
CLASSES = 8
#: The largest file that may be uploaded [B].
MOST_BYTES = 1_000_000
#: In the list of presets, a text of the reader's.
OWN = "your own text"


class ConfigurationText(Patient, anywidget.AnyWidget):
    """A configuration to edit, its findings in the margin, and the port that it makes beside it."""

    _esm = patient(joined("page/configuration.js"))
    _css = WAITING + (Path(__file__).parent / "page/configuration.css").read_text("utf-8")
    text = traitlets.Unicode("").tag(sync=True)
    port = traitlets.Unicode("").tag(sync=True)
    said = traitlets.Unicode("").tag(sync=True)
    notes: Any = traitlets.List().tag(sync=True)


class ConfigurationExplorer(widgets.VBox):  # type: ignore[misc]  # ipywidgets has no types
    """What `configuration` makes.

    Attributes
    ----------
    sheet : ConfigurationText
        The text and what stands beside it.
    figure : Explorer
        The sliders of the loads, and the figure below them.
    reading : Configuration or None
        Of the text as it stands; None while it cannot be read.
    """

    def __init__(self, begin: Preset, interface: str | None = None) -> None:
        self.reading: config.Configuration | None = None
        self._facts = dict(begin.facts)
        self._traffic = begin.traffic
        self._shown: config.ConfiguredPort | None = None
        self._loads: tuple[checks.Load, ...] = ()
        self._promises: tuple[checks.Promise, ...] = ()
        self._before: dict[str, ClassRun] = {}
        self.sheet = ConfigurationText(text=begin.text)
        known = next((name for name, one in PRESETS.items() if one is begin), OWN)
        self._presets = dropdown("Start from", [*PRESETS, OWN], known)
        self._interfaces = dropdown("Interface", [""], "")
        self._asked = widgets.VBox()
        self._file = Loader(self._uploaded, "Load a file", "")
        keep = button("Compare with this", self._keep)
        keep.layout.width, keep.tooltip = "auto", "What is here becomes “before”"
        self._held = False
        self._read(interface)
        # Traces that are made without a point lose their look on the page.
        self.figure = self._explorer()
        self._label()
        self.sheet.observe(lambda _: self._changed(), "text")
        self._presets.observe(lambda change: self._take(change["new"]), "value")
        self._interfaces.observe(lambda _: self._chosen(), "value")
        top = flow_of(self._presets, self._interfaces, keep, self._file)
        super().__init__([top, self.sheet, self._asked, self.figure.widget])

    @property
    def configured(self) -> config.ConfiguredPort | None:
        """The port that is shown; None while there is none."""
        return self._shown

    @property
    def scenario(self) -> Scenario:
        """The port that is shown, with the loads of the sliders.

        Raises
        ------
        ValueError
            If no port is shown, or nothing is offered.
        """
        if self._shown is None:
            raise ValueError("no port is shown; allowed: a text with one, and its facts")
        return self._scenario(self.figure.values)

    def _explorer(self) -> Explorer:
        controls = {
            f"load_{place}": slider(label or f"class {place}", 100, 0, 300, 5)
            for place, label in enumerate(self._labels(), 1)
        }
        call = Call("your_network", "saved", lambda values: [self._scenario(values)])
        return Explorer(controls, self._draw, self._simulate, call)

    def _read(self, interface: str | None = None) -> None:
        """Read the text; if that fails, the port before stays, and the page says why."""
        try:
            reading = config.read(self.sheet.text, facts=self._facts)
            shown = _chosen(reading, interface, self._interfaces.value)
        except ConfigurationError as error:
            self._note_error(error)
            return
        self.reading = reading
        self._ask(reading)
        if shown is None or shown.port is None:
            missing = ", ".join(each.name for each in reading.missing)
            self.sheet.said = (
                f"Say below what no configuration holds: {missing}."
                if missing
                else ("No interface has queues of its own here. Attach a policy to one.")
            )
            return
        self._shown = shown
        self._offer(reading, shown)
        # A class keeps what it was offered at first: another guarantee is no other load.
        kept = {each.name: each for each in self._loads}
        given = Given(config.Facts(self._facts), None if kept else self._traffic or None)
        now = offered(reading, shown, given)
        self._loads = routed(reading, shown, [kept.get(each.name, each) for each in now])
        sizes = {each.name: each.frames_bytes for each in self._loads}
        self._promises = checks.promises(shown, sizes)
        self._tell()

    def _note_error(self, error: ConfigurationError) -> None:
        before = "" if self._shown is None else " The port is that of the text before."
        self.sheet.said = f"{str(error).rstrip('.')}.{before}"
        note = {"line": error.line or 0, "severity": "error", "name": "unreadable"}
        self.sheet.notes = [note | {"text": str(error), "more": "", "fix": ""}]

    def _tell(self) -> None:
        """Findings, and the port as rows."""
        reading, shown = self.reading, self._shown
        assert reading is not None
        assert shown is not None
        place = reading.ports.index(shown)
        found = checks.findings(reading, {place: self._loads}, config.Facts(self._facts))
        kept, ignored = checks.silenced(found, self.sheet.text)
        at = f"{shown.interface} {shown.direction}"
        notes = [
            {
                "line": each.line,
                "severity": each.severity,
                "name": each.id,
                "text": each.sentence,
                "more": each.arithmetic,
                "fix": each.fix,
            }
            for each in kept
            if each.interface in ("", at)
        ]
        notes += [
            {
                "line": each.line,
                "severity": "info",
                "name": each.kind,
                "text": each.lost,
                "more": each.text.strip(),
                "fix": "",
            }
            for each in reading.remarks
        ]
        with self.sheet.hold_sync():
            self.sheet.notes = notes
            self._show_port({})
            self.sheet.said = _counted(notes, len(ignored))

    def _show_port(self, now: Mapping[str, ClassRun]) -> None:
        """The port as rows, with what the packet model says of each class where it has run."""
        if self._shown is not None:
            self.sheet.port = port_html(self._shown, self._promises, now, self._before)

    def _ask(self, reading: config.Configuration) -> None:
        """A box for each fact that is missing."""
        boxes = []
        for each in reading.missing[:CLASSES]:
            box = widgets.Text(
                placeholder=f"in {each.unit}" if each.unit else "",
                description=each.question,
                continuous_update=False,
                style={"description_width": "auto"},
                layout=widgets.Layout(width="100%"),
            )
            box.observe(lambda change, each=each: self._told(each, change["new"]), "value")
            boxes.append(box)
        self._asked.children = boxes

    def _told(self, fact: config.MissingFact, text: str) -> None:
        try:
            value: float | str = parse_amount(text, fact.unit) if fact.unit else text
            facts = self._facts | {fact.name: value}
            config.Facts(facts)
        except ValueError as error:
            self.sheet.said = str(error)
            return
        self._facts = facts
        self._changed()

    def _offer(self, reading: config.Configuration, shown: config.ConfiguredPort) -> None:
        names = [_name(each) for each in reading.ports if each.port is not None]
        self._held = True
        self._interfaces.options = names
        self._interfaces.value = _name(shown)
        self._interfaces.layout.display = None if len(names) > 1 else "none"
        self._held = False

    def _chosen(self) -> None:
        if not self._held:
            self._changed()

    def _changed(self) -> None:
        """The text, a fact or the interface is another one: read, and draw."""
        self._read()
        self._label()
        self.figure.move(**({} if self._before else dict.fromkeys(self.figure.controls, 100)))

    def _take(self, name: str) -> None:
        """A preset in place of what is there."""
        if name not in PRESETS:
            return
        begin = PRESETS[name]
        self._begin(begin.text, begin.facts, begin.traffic)

    def _begin(self, text: str, facts: Mapping[str, float | str], traffic: str) -> None:
        self._facts, self._traffic, self._before = dict(facts), traffic, {}
        self._shown, self._loads = None, ()
        self.sheet.text = text

    def _uploaded(self, name: str, raw: bytes) -> str:
        """A file in place of what is there; a bad one changes nothing."""
        if len(raw) > MOST_BYTES:
            raise ValueError(f"{name} has {len(raw):,} bytes; allowed: up to {MOST_BYTES:,}")
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            raise ValueError(f"{name} is no text in UTF-8") from None
        config.read(text)
        self._presets.value = OWN
        self._begin(text, {}, "")
        return name

    def _keep(self) -> None:
        """What is there is "before" from now on."""
        self._before = {}
        self.figure.move()

    def _label(self) -> None:
        """A slider for each class that is offered anything, by its name."""
        for (name, control), label in zip(
            self.figure.widget.controls.items(), self._labels(), strict=True
        ):
            control.layout.display = None if label else "none"
            if label:
                control.description = label
                self.figure.controls[name] = replace(self.figure.controls[name], label=label)

    def _labels(self) -> list[str]:
        """The name of each slider; empty where nothing is offered to its class."""
        named = [
            f"{load.name} [% of {rate_text(load.rate_bps)}]" if load.rate_bps > 0 else ""
            for load in self._loads[:CLASSES]
        ]
        return named + [""] * (CLASSES - len(named))

    def _offered(self, values: Mapping[str, float]) -> tuple[checks.Load, ...]:
        """The loads of the classes as their sliders stand; TCP takes what it gets."""
        loads = [
            _scaled(load, float(units.convert(values.get(f"load_{place}", 100), "%", "1")))
            for place, load in enumerate(self._loads, 1)
        ]
        if not any(load.rate_bps or load.flows for load in loads):
            raise ValueError("nothing is offered; move a slider")
        return tuple(loads)

    def _scenario(self, values: Mapping[str, float]) -> Scenario:
        assert self._shown is not None
        return scenario_of(self._shown, self._offered(values))

    def _simulate(self, values: dict[str, Any], progress: Progress) -> dict[str, ClassRun]:
        """What each class gets; where nothing is "before" yet, that is it."""
        if self._shown is None:
            return {}
        offered = self._offered(values)
        found = runs(self._shown, offered, "packets", progress=progress, seconds=None)
        now = {each.name: each for each in found}
        self._before = self._before or now
        return now

    def _draw(self, values: dict[str, Any], now: dict[str, ClassRun] | None) -> plots.Figure:
        names = [each.name for each in self._loads[:CLASSES]]
        least = {each.name: each.minimum_bps for each in self._promises}
        if now:
            self._show_port(now)
        figure = plots.change(names, self._before, now or {}, [least[name] for name in names])
        if self._shown is not None:
            offered = self._offered(values) if now else self._loads
            said = stand_in(self._shown, offered)
            figure.remark = " ".join(f"{name}: {text}" for name, text in said.items())
        return figure


def _chosen(
    reading: config.Configuration, interface: str | None, shown: str
) -> config.ConfiguredPort | None:
    """The port of an interface, or what was shown before, or the first with queues."""
    whole = [each for each in reading.ports if each.port is not None]
    if interface is not None:
        name = named(interface, (each.interface for each in whole))
        return next(each for each in whole if each.interface == name)
    same = (each for each in whole if _name(each) == shown)
    return next(same, whole[0] if whole else None)


def _name(configured: config.ConfiguredPort) -> str:
    return f"{configured.interface} {configured.direction}"


def _scaled(load: checks.Load, ratio: float) -> checks.Load:
    return load.replace(
        streams=tuple(each.replace(rate_bps=ratio * each.rate_bps) for each in load.streams)
    )


def _counted(notes: list[dict[str, Any]], ignored: int) -> str:
    counts = [
        (sum(note["severity"] == severity for note in notes), severity)
        for severity in checks.SEVERITIES
    ]
    parts = [
        f"{n} {severity}{'s' * (n != 1 and severity != 'info')}" for n, severity in counts if n
    ]
    if ignored:
        parts.append(f"{ignored} ignored by a comment")
    return ", ".join(parts) or "Nothing is wrong as far as the rules see."


def configuration(
    text: str | None = None,
    *,
    facts: Mapping[str, float | str] | None = None,
    interface: str | None = None,
    traffic: str | None = None,
) -> ConfigurationExplorer:
    """Edit a configuration, and see what each class gets: its rates, its loss and its delay.

    The port is drawn beside the text, with the least and the most that each class may take and how
    long its queue lasts at the least. Findings stand at their lines. The packet model runs with the
    loads of the sliders, and the figure keeps what was before the change.

    Parameters
    ----------
    text : str, optional
        A configuration in any dialect of `config.DIALECTS`; by default the first preset.
    facts : mapping of str to float or str, optional
        What no configuration holds, as `config.read` takes it; what is missing is asked for.
    interface : str, optional
        Which interface to begin with, as in the text or short: ``Gi0/0/1``.
    traffic : str, optional
        What is sent to each class, as in ``traffic.toml``; by default each class at its minimum.

    Returns
    -------
    ConfigurationExplorer
        For JupyterLab.

    Raises
    ------
    ValueError
        If an argument is of the wrong kind. What is wrong in a text is said beside it.

    Examples
    --------
    >>> app = configuration()
    >>> app.figure.table["lost after [%]"].round().tolist()
    [0.0, 0.0, 27.0, 36.0]
    """
    for name, value in {"text": text, "interface": interface, "traffic": traffic}.items():
        checked(str | None, value, name)
    config.Facts(facts)
    if text is None:
        begin = next(iter(PRESETS.values()))
        if facts or traffic:
            fail("facts or traffic", facts or traffic, "none without a text")
    else:
        begin = Preset(text, dict(facts or {}), traffic or "")
    return ConfigurationExplorer(begin, interface)
