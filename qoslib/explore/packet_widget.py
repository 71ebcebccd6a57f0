"""A packet view in a notebook."""

from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from qoslib.explore.packet_view import module
from qoslib.plots.patient import WAITING, Patient, patient

if TYPE_CHECKING:
    from qoslib.explore.packet_view import PacketView

__all__ = ["PacketWidget"]


class PacketWidget(Patient, anywidget.AnyWidget):
    """The picture of a view, which passes on what a hand changes."""

    _css = WAITING
    spec = traitlets.Dict().tag(sync=True)
    data = traitlets.Bytes().tag(sync=True)
    live = traitlets.Bool().tag(sync=True)
    change = traitlets.Dict().tag(sync=True)
    error = traitlets.Unicode().tag(sync=True)
    time_ms = traitlets.Float().tag(sync=True)
    playing = traitlets.Bool().tag(sync=True)

    def __init__(self, view: "PacketView") -> None:
        self._view = view
        code = patient(module(view.layers))
        super().__init__(_esm=code, spec=view.spec, data=view.data, live=view.live)
        self.observe(self._changed, "change")
        self.on_msg(self._answer)

    def _changed(self, change: Any) -> None:
        try:
            scene = self._view.change(**change["new"])
        except ValueError as error:
            self.error = f"{error} The picture is that of the settings before."
            return
        with self.hold_sync():
            self.error = ""
            self.spec, self.data = scene

    def _answer(self, widget: Any, content: dict[str, Any], buffers: Any) -> None:
        if "guess" in content:
            self.send({"guess": self._view._guessed()})
        else:
            self.send({"name": "packets.html", "text": self._view.to_html()})
