"""What ipywidgets and plotly leave to the page: names of handles, figures that fit, files."""

import anywidget

__all__ = ["Finish"]

_ESM = """
function name_handles(root) {
  for (const slider of root.querySelectorAll(".widget-slider")) {
    const label = slider.querySelector(".widget-label");
    const handle = slider.querySelector("[role=slider]");
    if (label && handle) handle.setAttribute("aria-label", label.textContent);
  }
}
function save(name, url) {
  const link = Object.assign(document.createElement("a"), { download: name, href: url });
  link.click();
}
function image(root, format, filename) {
  const plot = root.querySelector(".js-plotly-plot");
  // plotly's own button knows how; only the format has to be told.
  plot._context.toImageButtonOptions = { format, filename, scale: format === "png" ? 2 : 1 };
  plot.querySelector('[data-title^="Download plot"]').click();
}
function render({ model, el }) {
  el.style.display = "none";
  const given = (said) => {
    const root = el.closest(".qoslib-explorer");
    if (said.image) return image(root, said.image, said.name);
    const url = URL.createObjectURL(new Blob([said.text], { type: said.mime }));
    save(said.name, url);
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  };
  model.on("msg:custom", given);
  let watcher, sizer, width;
  // The figure and the sliders are drawn before or after this widget, and the page may change.
  const start = requestAnimationFrame(() => {
    const root = el.closest(".qoslib-explorer");
    if (!root) return;
    const fit = () => window.dispatchEvent(new Event("resize"));
    watcher = new MutationObserver((changes) => {
      name_handles(root);
      if (changes.some((c) => c.target.classList?.contains("js-plotly-plot"))) fit();
    });
    watcher.observe(root, { childList: true, subtree: true });
    sizer = new ResizeObserver(() => {
      if (width !== root.clientWidth) { width = root.clientWidth; fit(); }
    });
    sizer.observe(root);
    name_handles(root);
  });
  return () => {
    model.off("msg:custom", given);
    cancelAnimationFrame(start);
    watcher?.disconnect();
    sizer?.disconnect();
  };
}
export default { render };
"""

#: In a grid the headings name the controls; their own labels stay, for assistive technology.
_CSS = """
.qoslib-bare { min-width: 0; }
.qoslib-bare > .widget-label, .qoslib-bare .widget-label-basic > span {
  position: absolute; width: 1px; overflow: hidden; opacity: 0; pointer-events: none;
}
.qoslib-bare > .widget-readout {
  min-width: 0; flex: 0 0 2.7em; margin: 0 0 0 6px; padding: 0; box-shadow: none !important;
}
.qoslib-explorer .js-plotly-plot { min-width: 0; }
"""


class Finish(anywidget.AnyWidget):
    """An invisible widget that finishes the explorer it stands in.

    It hides the labels of controls in a grid from view, gives each slider's handle the text of
    its label, tells plotly when the explorer's width changes (it only hears of the window's), and
    saves what it is sent as a file.
    """

    _esm = _ESM
    _css = _CSS
