"""The questions of the lessons' predictions as a script that asks them in a page."""

import json
from pathlib import Path

from qoslib import lessons
from qoslib.explore.page_code import joined
from qoslib.lessons import prediction

__all__ = ["files"]

NEXT = "The answer is below."


def files() -> dict[str, bytes]:
    """Name of the script -> its content: what asks in a notebook, and its questions by number."""
    widget = Path(prediction.__file__).with_name("predict.js").read_text("utf-8")
    code = (joined("page/keys.js") + widget).replace("export default {", "return {")
    asked = {name: {**lessons.predict(name).spec, "next": NEXT} for name in lessons.predictions()}
    specs = json.dumps(asked, separators=(",", ":"), ensure_ascii=False)
    script = f"const qoslibQuestions = {{ specs: {specs}, ...(() => {{\n{code}}})() }};\n"
    return {"questions.js": script.encode()}
