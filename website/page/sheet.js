"use strict";
// A text with line numbers, of which one line can be shown: qoslibSheet(label, rows).
window.qoslibSheet = (label, rows) => {
  const make = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
    made.append(...children);
    return made;
  };
  const text = make("textarea", {
    rows, "aria-label": label, spellcheck: "false", wrap: "off", autocapitalize: "off", autocomplete: "off",
  });
  const numbers = make("div", { class: "numbers", "aria-hidden": "true" });
  const band = make("div", { class: "band", "aria-hidden": "true" });
  const root = make("div", { class: "qoslib-sheet" }, numbers, make("div", { class: "text" }, band, text));
  const style = () => getComputedStyle(text);
  const high = () => parseFloat(style().lineHeight);
  let marks = {};
  let shown = 0;

  function follow() {
    numbers.scrollTop = text.scrollTop;
    band.hidden = !shown;
    band.style.top = `${parseFloat(style().paddingTop) + (shown - 1) * high() - text.scrollTop}px`;
    band.style.height = `${high()}px`;
  }

  /** Lines are numbered in one text, so that 100,000 of them are no burden. */
  function number() {
    const lines = text.value.split("\n").length;
    const signs = { error: "✖", warning: "▲", info: "●" };
    numbers.textContent = Array.from({ length: lines }, (_, at) => `${signs[marks[at + 1]] ?? ""} ${at + 1}`).join("\n") + "\n\n";
    follow();
  }

  text.addEventListener("scroll", follow);
  text.addEventListener("input", () => {
    [marks, shown] = [{}, 0];
    number();
  });
  number();

  return {
    root,
    text,
    get value() { return text.value; },
    set value(given) {
      text.value = given;
      [marks, shown] = [{}, 0];
      number();
    },
    /** Put the sign of the worst finding beside each line. */
    mark(findings) {
      marks = {};
      for (const severity of ["info", "warning", "error"])
        for (const each of findings) if (each.severity === severity && each.line) marks[each.line] = severity;
      number();
    },
    /** Bring a line into view and colour it; the focus stays where it is. */
    show(line) {
      shown = line;
      text.scrollTop = Math.max(0, (line - 0.5) * high() - text.clientHeight / 2);
      follow();
      root.scrollIntoView({ block: "nearest" });
    },
  };
};
