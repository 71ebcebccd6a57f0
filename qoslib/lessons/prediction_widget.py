"""The question of a prediction in a notebook."""

from pathlib import Path
from typing import Any

import anywidget
import traitlets

from qoslib.explore.page_code import joined
from qoslib.lessons.prediction import Prediction, Store
from qoslib.plots.patient import WAITING, Patient, patient

__all__ = ["Widget"]


class Widget(Patient, anywidget.AnyWidget):
    """The question, and a scale, choices or axes to answer on; `guess` is None until then.

    Points of a curve that is not finished are its `part`, and no guess.
    """

    _esm = patient(
        joined("page/keys.js") + Path(__file__).with_name("predict.js").read_text("utf-8")
    )
    _css = WAITING
    spec = traitlets.Dict().tag(sync=True)
    guess = traitlets.Any(None, allow_none=True).tag(sync=True)
    part: Any = traitlets.List().tag(sync=True)

    def __init__(self, prediction: Prediction, store: Store) -> None:
        self._prediction, self._store = prediction, store
        words = {key: value for key, value in prediction.words.items() if key != "answer"}
        spec = {"kind": prediction.kind, "name": prediction.name, **words}
        super().__init__(spec=spec, guess=store.get(prediction))
        self.observe(self._keep, "guess")
        self.observe(self._hold, "part")

    def _hold(self, change: Any) -> None:
        self._store.hold(self._prediction, change["new"])

    def _keep(self, change: Any) -> None:
        if self._prediction.accepts(change["new"]):
            self._store.keep(self._prediction, change["new"])

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        shown: Any = super()._repr_mimebundle_(**kwargs)
        data, about = shown
        # The same on every machine, and what a reader without a kernel sees.
        return data | {"text/plain": f"Predict. {self._prediction.words['question']}"}, about
