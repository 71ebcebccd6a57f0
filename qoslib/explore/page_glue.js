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
