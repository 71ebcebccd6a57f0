/** Type of 12 px as large as the page's on a projector. */
const LARGER = 2;
/** Figures whose legend is being lifted off their panels. */
const lifting = new WeakSet();
function name_handles(root) {
  for (const slider of root.querySelectorAll(".widget-slider")) {
    const label = slider.querySelector(".widget-label");
    const handle = slider.querySelector("[role=slider]");
    if (label && handle) handle.setAttribute("aria-label", label.textContent);
  }
}
/**
 * ipywidgets moves a number that a slider does not reach to its end without a word, and makes 85 of
 * "8,5". Here a comma is a point; the range stands below the box, and so does what became of a number.
 */
function watch_boxes(root) {
  const note = Object.assign(document.createElement("div"), { className: "qoslib-allowed", hidden: true });
  note.setAttribute("role", "status");
  root.append(note);
  const box_of = ({ target }) => target.closest?.(".widget-slider") && target.closest(".widget-readout");
  const ends_of = (box) => {
    const handle = box.closest(".widget-slider").querySelector("[role=slider]");
    return ["aria-valuemin", "aria-valuemax"].map((name) => Number(handle.getAttribute(name)));
  };
  const step_of = (box) => box.closest(".widget-slider").querySelector(".noUi-target")?.noUiSlider?.options.step;
  const range_of = (box) => {
    const step = step_of(box);
    return `from ${ends_of(box).join(" to ")}${step ? `, in steps of ${step}` : ""}`;
  };
  let shown, before;
  const say = (box, text) => {
    shown = box;
    note.hidden = !text;
    note.textContent = text;
    const at = box.getBoundingClientRect(), all = root.getBoundingClientRect();
    note.style.top = `${at.bottom - all.top + 1}px`;
    note.style.right = `${Math.max(all.right - at.right, 0)}px`;
  };
  const taken = (box, typed) => {
    const [low, high] = ends_of(box), given = Number(typed || NaN);
    const now = box.textContent;
    if (Number.isNaN(given)) say(box, `“${typed}” is not a number: ${now} stays.`);
    else if (given < low || given > high) say(box, `“${typed}” is not from ${low} to ${high}: ${now} is taken.`);
    else if (Number(now) !== given) say(box, `“${typed}” is rounded to ${now}${step_of(box) ? `: steps of ${step_of(box)}` : ""}.`);
    else if (document.activeElement === box) say(box, range_of(box));
    else if (shown === box) say(box, "");
  };
  for (const begun of ["focusin", "input"]) {
    root.addEventListener(begun, (event) => {
      const box = box_of(event);
      if (!box) return;
      if (begun === "focusin") before = box.textContent;
      say(box, range_of(box));
    });
  }
  root.addEventListener("keypress", (event) => {
    if (!box_of(event) || event.key !== ",") return;
    event.preventDefault();
    event.stopPropagation();
    document.execCommand("insertText", false, ".");
  }, true);
  // On the way down to the box: ipywidgets has not yet changed what was typed.
  root.addEventListener("keydown", (event) => {
    const box = box_of(event), text = box?.textContent.trim();
    if (box && event.key === "Enter") setTimeout(() => { before = box.textContent; taken(box, text); });
  }, true);
  // ipywidgets takes a number with Enter alone; one that is left behind counts, too.
  root.addEventListener("blur", (event) => {
    const box = box_of(event);
    if (!box) return;
    if (box.textContent === before) return say(box, "");
    box.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", keyCode: 13, bubbles: true }));
  }, true);
  root.addEventListener("keydown", (event) => { if (!event.isTrusted) event.stopPropagation(); });
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
/** Let plotly take the size of its place, which may have changed. */
function fit(root) {
  const plot = root.querySelector(".js-plotly-plot");
  window.dispatchEvent(new Event("resize"));
  plot?.once?.("plotly_relayout", () => lift_legend(plot));
}
/**
 * plotly places a legend by the margin from before a resize. One that needs a line less than before lies
 * over the panels until it is drawn again, as it is when the height changes by more than a pixel.
 */
function lift_legend(plot) {
  const [legend, panel] = [".legend", ".nsewdrag"].map((each) => plot.querySelector(each)?.getBoundingClientRect());
  if (!legend || !panel || legend.bottom <= panel.top || lifting.has(plot)) return;
  const high = plot.clientHeight;
  const draw = (height) => {
    plot.style.height = `${height}px`;
    window.dispatchEvent(new Event("resize"));
  };
  lifting.add(plot);
  draw(high - 2);
  plot.once("plotly_relayout", () => {
    draw(high);
    lifting.delete(plot);
  });
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
  fit(root);
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
    watcher = new MutationObserver((changes) => {
      name_handles(root);
      if (changes.some((c) => c.target.classList?.contains("js-plotly-plot"))) fit(root);
    });
    watcher.observe(root, { childList: true, subtree: true });
    sizer = new ResizeObserver(() => {
      if (width !== root.clientWidth) { width = root.clientWidth; fit(root); }
    });
    sizer.observe(root);
    name_handles(root);
    watch_boxes(root);
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
