"""Names for assistive technology: a slider's handle has none of its own."""

import anywidget

__all__ = ["Labels"]

_ESM = """
function name_handles(root) {
  for (const slider of root.querySelectorAll(".widget-slider")) {
    const label = slider.querySelector(".widget-label");
    const handle = slider.querySelector("[role=slider]");
    if (label && handle) handle.setAttribute("aria-label", label.textContent);
  }
}
function render({ el }) {
  el.style.display = "none";
  // The sliders beside this widget are drawn before or after it, so watch until it is removed.
  let watcher;
  const start = requestAnimationFrame(() => {
    const root = el.closest(".qoslib-explorer");
    if (!root) return;
    name_handles(root);
    watcher = new MutationObserver(() => name_handles(root));
    watcher.observe(root, { childList: true, subtree: true });
  });
  return () => { cancelAnimationFrame(start); watcher?.disconnect(); };
}
export default { render };
"""


class Labels(anywidget.AnyWidget):
    """An invisible widget that gives each slider's handle the text of its label."""

    _esm = _ESM
