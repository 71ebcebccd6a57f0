/** Type of 12 px as large as the page's on a projector. */
const LARGER = 2;
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
/**
 * On a projector the figure fills what the controls leave of the screen. Its letters are made larger
 * by a transform, which plotly's pointer knows about.
 */
function enlarge(root, on) {
  const plot = root.querySelector(".js-plotly-plot");
  if (!plot) return;
  // JupyterLab has commands for Escape, and for others of the keys that move sliders.
  root.toggleAttribute("data-lm-suppress-shortcuts", on);
  if (on) {
    plot.dataset.high = plot.querySelector(".main-svg").getAttribute("height");
    root.style.setProperty("--qoslib-high", "0px");
    const others = [...root.children].map((each) => each.getBoundingClientRect()).filter((each) => each.height);
    const left = root.clientHeight - 44 - (others.at(-1).bottom - others[0].top);
    root.style.setProperty("--qoslib-high", `${Math.max(Math.floor(left / LARGER), 160)}px`);
  }
  // plotly takes the height of its place whenever the width changes.
  plot.style.height = `${plot.dataset.high}px`;
  window.dispatchEvent(new Event("resize"));
}
function render({ model, el }) {
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
    root.tabIndex = -1;
    const large = projector(root, (on) => enlarge(root, on));
    if (large) el.append(large);
  });
  return () => {
    model.off("msg:custom", save_file);
    cancelAnimationFrame(start);
    watcher?.disconnect();
    sizer?.disconnect();
  };
}
export default { render };
