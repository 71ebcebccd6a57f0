"""What ipywidgets and plotly do not do in the page: names of handles, figures that fit, files."""

import anywidget

__all__ = ["PageGlue"]

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
  // plotly's own button knows how; only the format is missing.
  plot._context.toImageButtonOptions = { format, filename, scale: format === "png" ? 2 : 1 };
  plot.querySelector('[data-title^="Download plot"]').click();
}
function render({ model, el }) {
  el.style.display = "none";
  const save_file = (file) => {
    const root = el.closest(".qoslib-explorer");
    if (file.image) return image(root, file.image, file.name);
    const url = URL.createObjectURL(new Blob([file.text], { type: file.mime }));
    save(file.name, url);
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  };
  model.on("msg:custom", save_file);
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
    model.off("msg:custom", save_file);
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
  position: absolute; width: 1px !important; overflow: hidden; opacity: 0; pointer-events: none;
}
.qoslib-bare > .widget-readout {
  min-width: 0; flex: 0 0 2.7em; margin: 0 0 0 6px; padding: 0; box-shadow: none !important;
}
.qoslib-explorer .js-plotly-plot { min-width: 0; }
"""


class PageGlue(anywidget.AnyWidget):
    """An invisible widget in an explorer, which completes its page.

    It hides the labels of controls in a grid from view, gives each slider's handle the text of
    its label, tells plotly when the explorer's width changes (it only learns of the window's), and
    saves what it is sent as a file.
    """

    _esm = _ESM
    _css = _CSS
