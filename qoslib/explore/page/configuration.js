// A configuration to edit: numbers and findings in the margin, and beside it what the port is.

const WAIT_MS = 500;
const SIGNS = { error: "✖", warning: "▲", info: "●" };

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
  made.append(...children);
  return made;
}

/** The first and the last place of a line in a text. */
function placeOf(text, line) {
  const lines = text.split("\n"), begin = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
  return [begin, begin + (lines[line - 1] ?? "").length];
}

function render({ model, el }) {
  const text = element("textarea", {
    spellcheck: "false", wrap: "off", autocapitalize: "off", autocomplete: "off", "aria-label": "Configuration",
  });
  const margin = element("div", { class: "margin" }), said = element("p", { class: "said", role: "status" });
  const port = element("div", { class: "port" }), list = element("ol", { class: "findings" });
  const sheet = element("div", { class: "sheet" }, margin, text);
  const root = element("div", { class: "qoslib-configuration" }, element("div", { class: "halves" }, sheet, port), said, list);
  let waiting = 0;
  el.append(root);

  const high = () => parseFloat(getComputedStyle(text).lineHeight);
  const scroll = () => { margin.scrollTop = text.scrollTop; };

  function show(line) {
    const [begin, end] = placeOf(text.value, line);
    text.focus();
    text.setSelectionRange(begin, end);
    text.scrollTop = Math.max(0, (line - 4) * high());
  }

  /** Line numbers, and a sign at each line that has a finding or an error. */
  function mark() {
    const notes = model.get("notes"), worst = {};
    ["info", "warning", "error"].forEach((severity) => {
      notes.filter((note) => note.severity === severity).forEach((note) => { worst[note.line] = note; });
    });
    const lines = text.value.split("\n").length;
    margin.replaceChildren(...Array.from({ length: lines }, (_, n) => {
      const note = worst[n + 1], row = element("div", { "data-line": n + 1 }, note ? `${SIGNS[note.severity]} ${n + 1}` : `${n + 1}`);
      if (note) row.setAttribute("class", note.severity), row.setAttribute("title", note.text);
      return row;
    }), element("div", {}, "\u00a0"));
    scroll();
  }

  function findings() {
    list.replaceChildren(...model.get("notes").map((note) => {
      const item = element("li", { class: note.severity });
      const where = note.line ? `line ${note.line}` : note.name === "unreadable" ? "text" : "port";
      const name = element("button", { type: "button", title: "Show the line" }, `${SIGNS[note.severity]} ${where}`);
      name.addEventListener("click", () => note.line && show(note.line));
      item.append(name);
      if (!note.more && !note.fix) item.append(element("span", {}, note.text));
      else {
        const more = [note.more && element("p", {}, note.more), note.fix && element("code", {}, note.fix)];
        item.append(element("details", {}, element("summary", {}, note.text), ...more.filter(Boolean)));
      }
      item.append(element("small", {}, note.name));
      return item;
    }));
  }

  function drawn() {
    port.innerHTML = model.get("port");
    port.querySelectorAll("[data-line]").forEach((row) => {
      row.addEventListener("pointerenter", () => light(row.dataset.line));
      row.addEventListener("pointerleave", () => light(0));
      row.addEventListener("click", () => Number(row.dataset.line) && show(Number(row.dataset.line)));
    });
  }

  /** A line of the text and what stands for it in the port. */
  function light(line) {
    root.querySelectorAll(".lit").forEach((each) => each.classList.remove("lit"));
    if (Number(line)) root.querySelectorAll(`[data-line="${line}"]`).forEach((each) => each.classList.add("lit"));
  }

  function send() {
    clearTimeout(waiting);
    if (model.get("text") === text.value) return;
    model.set("text", text.value);
    model.save_changes();
  }

  function take() {
    if (text.value !== model.get("text")) text.value = model.get("text");
    mark();
  }

  const speak = () => { said.textContent = model.get("said"); };
  text.addEventListener("input", () => { mark(); clearTimeout(waiting); waiting = setTimeout(send, WAIT_MS); });
  text.addEventListener("blur", send);
  text.addEventListener("scroll", scroll);
  text.addEventListener("keydown", (event) => event.stopPropagation());
  text.addEventListener("click", () => light(text.value.slice(0, text.selectionStart).split("\n").length));
  const heard = [["change:text", take], ["change:notes", () => { mark(); findings(); }], ["change:port", drawn], ["change:said", speak]];
  heard.forEach(([name, does]) => model.on(name, does));
  take();
  findings();
  drawn();
  speak();
  return () => {
    clearTimeout(waiting);
    heard.forEach(([name, does]) => model.off(name, does));
  };
}

export default { render };
