"""An explorer as a plain object: controls, and the figure that follows them."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, Protocol

from qoslib.explore.change_summary import cause
from qoslib.explore.controls import Control, Member, stacked
from qoslib.explore.export import Call, lines
from qoslib.packets.progress import Progress, ProgressBar
from qoslib.plots import Figure

if TYPE_CHECKING:
    import pandas as pd

    from qoslib.explore.explorer_widget import ExplorerWidget
    from qoslib.plots import LiveFigure

__all__ = ["Explorer", "Files"]


class Files(Protocol):
    """What takes the files that a reader loads into an explorer."""

    def take(self, name: str, raw: bytes) -> str:
        """Read a file, and say what it holds."""

    def note(self, values: dict[str, Any]) -> str:
        """What else there is to say of the files, with the controls at these values."""

    def kept(self) -> Any:
        """What is there now, for `back_to`."""

    def back_to(self, before: Any) -> None:
        """As it was."""

    def forget(self) -> None:
        """Back to what was there before any file."""


class Explorer:
    """Sliders and switches around one figure, with its summary and table.

    It is a plain object, which answers without a notebook: `answer` draws the figure for any
    values. In a notebook it shows itself as a widget, `widget`, which is made when it is asked for.

    Parameters
    ----------
    controls : mapping of str to Control
        What can be moved, by name.
    draw : callable
        From the controls' values by name, and what `simulate` found or None, to a `plots.Figure`,
        always with the same traces.
    simulate : callable, optional
        From the values, and a callback for its progress, to something that takes a moment to find,
        as a packet model does. In a notebook the figure is drawn without it at once, and with it
        when the controls have come to rest; a bar shows in between if that takes over a second. It
        runs in a thread of its own, and may be stopped by its progress.
    call : Call, optional
        How this explorer is made, for what can be taken along of it.
    rows : sequence of Member, optional
        The rows above the figure; by default a line for each slider, and one for all else.
    preset : (str, callable), optional
        A control whose value decides where others begin, and a function from that value to where.
    files : Files, optional
        What takes a reader's files.

    Attributes
    ----------
    controls : dict of str to Control
    start : dict
        Where the controls begin.
    rows : tuple of Member
    preset : str
        The control whose value decides where others begin; empty where there is none.
    rested : Figure or None
        The figure at the last rest.
    cause : str
        What the last move did, in a sentence; mostly empty while the controls move.
    """

    def __init__(
        self,
        controls: Mapping[str, Control],
        draw: Callable[[dict[str, Any], Any], Figure],
        simulate: Callable[[dict[str, Any], Progress], Any] | None = None,
        call: Call | None = None,
        rows: Sequence[Member] | None = None,
        preset: tuple[str, Callable[[Any], dict[str, Any]]] | None = None,
        files: Files | None = None,
    ) -> None:
        self.controls = dict(controls)
        self.start = {name: control.value for name, control in self.controls.items()}
        self.rows = tuple(stacked(self.controls) if rows is None else rows)
        self.preset = preset[0] if preset else ""
        self.rested: Figure | None = None
        self.cause = ""
        self.files = files
        self._call, self._preset, self._draw, self._simulate = call, preset, draw, simulate
        self._values = dict(self.start)
        self._drawn: Figure | None = None
        self._rested_at = self._values
        self._widget: ExplorerWidget | None = None

    @property
    def simulates(self) -> bool:
        """Whether something is found at rest that takes a moment."""
        return self._simulate is not None

    def answer(
        self, values: dict[str, Any], packets: bool = False, progress: Progress | None = None
    ) -> Figure:
        """Draw the figure for the values of all controls, whatever they stand at.

        Parameters
        ----------
        values : dict
            By control.
        packets : bool
            Whether what takes a moment is found, too.
        progress : callable, optional
            Called with the simulated time that is done, and with all of it [s].

        Returns
        -------
        Figure

        Raises
        ------
        ValueError
            If what the controls describe cannot be shown.
        """
        found = None
        if packets and self._simulate is not None:
            found = self._simulate(values, progress or _silent)
        return self._draw(values, found)

    def asked(self, /, **values: Any) -> dict[str, Any]:
        """Say where a move to some values leads each control that it moves.

        Parameters
        ----------
        **values
            Names of controls, and what each is set to.

        Returns
        -------
        dict
            The same as its control has it; with a preset, also where others begin.

        Raises
        ------
        ValueError
            If there is no such control, or it cannot be there.
        """
        for name in values:
            if name not in self.controls:
                raise ValueError(f"control is {name!r}; allowed: {', '.join(self.controls)}")
        moved = {name: self.controls[name].taken(name, value) for name, value in values.items()}
        if self._preset and self._preset[0] in moved:
            moved = self._preset[1](moved[self._preset[0]]) | moved
        return moved

    def begun(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Say where the controls begin, or where they begin at what the preset stands at.

        Parameters
        ----------
        values : mapping
            Of all controls; of the preset alone where there is one.

        Returns
        -------
        dict
            Of all controls.
        """
        if self._preset is None:
            return dict(self.start)
        name, begins = self._preset
        return {**self.start, name: values[name], **begins(values[name])}

    def python_of(self, values: dict[str, Any]) -> str:
        """Write three lines of Python that make the same with these values.

        Parameters
        ----------
        values : dict
            Of all controls.

        Returns
        -------
        str
            Empty where no lines do.
        """
        return lines(self._call, values, self.begun(values)) if self._call else ""

    def cause_of(
        self, before: tuple[Mapping[str, Any], str], now: tuple[Mapping[str, Any], str]
    ) -> str:
        """Say in one sentence what a move did.

        Parameters
        ----------
        before, now : (mapping, str)
            The values of all controls, and the summary of the figure.

        Returns
        -------
        str
            Empty where it did nothing that a sentence can say.
        """
        return cause(self.controls, before, now)

    @property
    def values(self) -> dict[str, Any]:
        """What the controls stand at."""
        return self._widget.values if self._widget else dict(self._values)

    @property
    def drawn(self) -> Figure:
        """The figure as it was drawn last, as a plain record."""
        return self._drawn or self.begin()

    @property
    def figure(self) -> "LiveFigure":
        """The figure as a widget, made once and then updated in place."""
        return self.widget.figure

    @property
    def python(self) -> str:
        """Three lines of Python that make what is on screen again; empty where none do."""
        return self.python_of(self.values)

    @property
    def summary(self) -> str:
        """The paragraph below the figure."""
        return self.drawn.summary

    @property
    def remark(self) -> str:
        """Where the models in the figure part, or where the only one is valid; mostly empty."""
        return self.drawn.remark

    @property
    def table(self) -> "pd.DataFrame":
        """The numbers in the figure, as a DataFrame."""
        return self.drawn.table

    def move(self, **values: Any) -> None:
        """Set several controls, draw once, and wait for what takes a moment.

        Parameters
        ----------
        **values
            Names of controls, and what each is set to.

        Raises
        ------
        ValueError
            If there is no such control, it cannot be there, or what the controls describe cannot be
            shown.
        """
        moved = self.asked(**values)
        if self._widget is not None:
            self._widget.move(moved)
            return
        if self._drawn is None:
            self.begin()
        now = {**self._values, **moved}
        self._show(now, self._simulate and self._simulate(now, _silent))
        self._rest()

    def begin(self) -> Figure:
        """Draw the figure where the controls begin, as is otherwise done when it is asked for.

        Returns
        -------
        Figure

        Raises
        ------
        ValueError
            If it cannot be shown.
        """
        with closing(ProgressBar()) as bar:
            drawn = self._show(self._values, self._simulate and self._simulate(self._values, bar))
        self._rest()
        return drawn

    def _show(self, values: dict[str, Any], found: Any = None) -> Figure:
        """Draw the figure for these values, with what was found for them if anything was."""
        drawn = self._draw(values, found)
        # While a slider moves there is no time to read it, nor to look for it.
        settled = found is not None or self._simulate is None
        self.cause = ""
        if settled and self.rested is not None:
            before = self._rested_at, self.rested.summary
            self.cause = self.cause_of(before, (values, drawn.summary))
        self._values, self._drawn = values, drawn
        return drawn

    def _rest(self) -> None:
        """The controls have come to rest: the next move is one from here."""
        self.rested, self._rested_at = self.drawn, self._values

    @property
    def widget(self) -> "ExplorerWidget":
        """The explorer in a notebook."""
        if self._widget is None:
            from qoslib.explore.explorer_widget import ExplorerWidget

            self._widget = ExplorerWidget(self)
        return self._widget

    def close(self) -> None:
        """Close its widget with all that it holds: the page keeps it until it is closed itself."""
        if self._widget is not None:
            self._widget.close()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """The widget; for a viewer without a kernel also the figure as it stands, and its words."""
        return self.widget._repr_mimebundle_(**kwargs)


def _silent(done_s: float, total_s: float) -> None:
    """Progress that nobody asks for."""
