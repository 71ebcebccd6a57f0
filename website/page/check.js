"use strict";
// Check a configuration in the page: the text and its load left, what the check says right.
(() => {
  const root = document.querySelector(".qoslib-check");
  if (!root) return;
  const engine = window.qoslibEngine, address = window.qoslibAddress;
  const HERE = document.currentScript.src;
  const OF_EXAMPLE = "This is an example with a stored report.", OF_LESSON = "This is the stored report of the text.";
  // A lesson has a text of its own, with which each change is compared.
  const EXAMPLE = `${root.dataset.example ?? "example"}.js`;
  // As the command line reads, and as a link may be long.
  const MOST_BYTES = 40_000_000, MOST_LINK = 30_000, AT_REST_MS = 900;

  const make = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
    made.append(...children);
    return made;
  };
  const button = (label, pressed, attributes = {}) => {
    const made = make("button", { type: "button", ...attributes }, label);
    made.addEventListener("click", pressed);
    return made;
  };

  const sheet = qoslibSheet("Configuration", 24), load = qoslibSheet("Load", 7);
  const chosen = make("input", { type: "file", hidden: "" });
  const dialect = make("select", {}, make("option", { value: "" }, "recognise it"));
  const words = make("p", { class: "words" }), facts = make("div", { class: "facts" });
  const said = make("p", { class: "said", role: "status" }), bar = make("progress", { hidden: "", max: 1, "aria-label": "Progress" });
  const changed = make("section", { class: "changed", hidden: "" }), report = make("div", { class: "report" });
  const terminal = make("pre", { tabindex: "0" }), downloads = make("p", { class: "downloads" });
  const stop = button("Stop", () => engine.stop(), { hidden: "" });
  const inTerminal = make("details", { class: "terminal", hidden: "" }, make("summary", {}, "The same in a terminal"), terminal, downloads);
  const left = make("div", { class: "given" },
    make("div", { class: "tools" }, button("Open a file", () => chosen.click()), button("Clear", () => begin({ text: "", load: "" })), button("Copy link", copyLink)),
    make("h2", {}, "Configuration"), sheet.root, facts,
    make("label", { class: "dialect" }, "Dialect", dialect),
    make("h2", {}, "Load"), load.root,
    make("details", { class: "help" }, make("summary", {}, "How to describe the load"), words),
    make("p", { class: "private" }, "Nothing has left this browser."));
  const right = make("div", { class: "answer" }, make("div", { class: "tools" }, said, stop), bar, changed, report, inTerminal);
  root.replaceChildren(left, right, chosen);

  let base = null;
  let name = "configuration", typed = {}, before = null, waiting = 0, turn = 0, latest = null;

  const message = (more) => ({ ask: "check", text: sheet.value, name, load: load.value, facts: typed, dialect: dialect.value, ...(before === null ? {} : { before }), ...more });

  function say(text, part = null) {
    said.textContent = text;
    bar.hidden = part === null;
    if (part !== null) bar.value = part;
  }

  /** Begin with another text: a file, a link, or none. */
  function begin(given) {
    [name, typed, before] = [given.name || "configuration", given.facts || {}, base];
    sheet.value = given.text;
    if (given.load !== undefined) load.value = given.load;
    dialect.value = given.dialect || "";
    forgetExample();
    edited();
  }

  /** The load of the example belongs to no other text. */
  function forgetExample() {
    const { text, load: sent } = window.qoslibExample ?? {};
    if (base !== null || load.value !== sent) return;
    const lines = text.trim().split("\n"), there = new Set(sheet.value.split("\n"));
    if (2 * lines.filter((line) => there.has(line)).length < lines.length) load.value = "";
  }

  function edited() {
    clearTimeout(waiting);
    turn++;
    if (!sheet.value.trim()) return empty();
    root.classList.add("stale");
    say("Reading ...");
    waiting = setTimeout(check, AT_REST_MS);
  }

  /** No report stands beside a text that it is not of. */
  function clear() {
    latest = null;
    report.replaceChildren();
    [changed.hidden, inTerminal.hidden, stop.hidden] = [true, true, true];
  }

  function empty() {
    clear();
    facts.textContent = "";
    address.set("check", null);
    say("Paste a configuration, or drop a file.");
  }

  /** Promises at once; then, where a load says what is sent, what the packet model finds. */
  async function check() {
    const mine = ++turn;
    keepAddress();
    const promised = await ask(mine, message({ load: "" }), "The promises are being computed");
    if (mine !== turn) return;
    if (!promised) return clear();
    const more = load.value.trim() && !promised.missing.length;
    show(promised);
    if (!more) return say(promised.missing.length ? "A fact is missing: enter it below the configuration." : "Promises only: add a load to see losses and delays.");
    say("The promises are below. The packet model is running ...", 0);
    const found = await ask(mine, message(), "The promises are below. The packet model is running", " The promises below do not use the load.");
    if (found && mine === turn) show(found), say("Checked by the engine in this page.");
  }

  async function ask(mine, question, what, left = "") {
    stop.hidden = false;
    const given = await engine.ask(question, (done, whole) => mine === turn && say(`${what} ...`, done / whole));
    if (mine !== turn) return null;
    stop.hidden = true;
    if (given.stopped) say("The check was stopped. Edit the configuration or the load to start it again.");
    else if (given.error) say(given.error.replace(/\.?$/, ".") + left);
    root.classList.toggle("missing", engine.status === "missing");
    return given.stopped || given.error || given.superseded ? null : given;
  }

  // Another part of the page may have started it.
  const asks = () => !stop.hidden;
  engine.addEventListener("progress", ({ detail }) => asks() && say(`The engine is loading: ${(detail.loaded / 1e6).toFixed(0)} of ${(detail.total / 1e6).toFixed(0)} MB`, detail.loaded / detail.total));
  engine.addEventListener("status", ({ detail }) => asks() && detail === "ready" && say("Reading ..."));

  function show(given) {
    latest = given;
    root.classList.remove("stale");
    report.innerHTML = given.html;
    changed.hidden = !given.changes;
    changed.innerHTML = given.changes && `<h2>Before and after</h2><div class="scroll">${given.changes}</div>`;
    if (before !== null) changed.append(button("Undo", () => begin({ name, text: before, facts: typed })));
    if (before !== null && sheet.value.startsWith(`${before.trimEnd()}\n`)) changed.append(make("p", {}, "The fix is at the end of the text, as you would paste it into the device. It replaces the lines above that set the same values."));
    // Nothing has changed yet.
    if (before === sheet.value) changed.hidden = true;
    [terminal.textContent, inTerminal.hidden] = [given.text, false];
    sheet.mark(given.findings);
    report.querySelectorAll(".scroll").forEach((each) => each.setAttribute("tabindex", "0"));
    report.querySelectorAll(".finding").forEach((box, at) => {
      const { line, fix, in_place: inPlace } = given.findings[at];
      if (line) box.querySelector("summary").addEventListener("click", () => sheet.show(line));
      if (fix) box.querySelector("pre").after(button("Apply fix", () => apply(fix, inPlace && line)));
    });
    askFacts(given.missing);
  }

  /** A fix stands behind the text, as somebody would paste it into the device: it replaces what stands above.
      Of a line that is misspelt, it takes the place. */
  function apply(fix, line) {
    before = sheet.value;
    const lines = line ? before.split("\n") : [...before.trimEnd().split("\n"), ...fix.split("\n"), ""];
    if (line) lines[line - 1] = lines[line - 1].match(/^\s*/)[0] + fix;
    sheet.value = lines.join("\n");
    sheet.show(line || lines.length - 1);
    right.scrollIntoView();
    root.classList.add("stale");
    check();
  }

  function askFacts(missing) {
    facts.replaceChildren(...missing.map(({ name: fact, question, unit }) => {
      const box = make("input", { type: "text", placeholder: unit === "bit/s" ? "100M" : unit });
      box.value = typed[fact] ?? "";
      box.addEventListener("change", () => {
        typed = { ...typed, [fact]: box.value };
        edited();
      });
      return make("label", {}, question, box);
    }));
  }

  function download(file, kind, text) {
    const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: kind })), download: file });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  async function ticket() {
    const given = await ask(++turn, message({ full: true }), "The models are running at 80, 100 and 120 % of the load");
    if (!given) return;
    say("Checked by the engine in this page.");
    download(`${name}.md`, "text/markdown", given.markdown);
  }

  downloads.append(
    button("JSON", () => download(`${name}.json`, "application/json", latest.json)),
    button("Text", () => download(`${name}.txt`, "text/plain", `${latest.text}\n`)),
    button("Markdown for a ticket", ticket));

  /** Bytes as text: UTF-8, UTF-16 by its mark or by a NUL in each second place, else Latin-1. */
  async function decoded(file) {
    const raw = new Uint8Array(await file.arrayBuffer()), start = raw.subarray(0, 4000);
    const nuls = [0, 1].map((odd) => start.length > 3 && start.every((each, at) => at % 2 !== odd || !each));
    if ((raw[0] === 0xfe && raw[1] === 0xff) || (nuls[0] && !nuls[1])) return new TextDecoder("utf-16be").decode(raw);
    if ((raw[0] === 0xff && raw[1] === 0xfe) || (nuls[1] && !nuls[0])) return new TextDecoder("utf-16le").decode(raw);
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(raw);
    } catch {
      return new TextDecoder("latin1").decode(raw);
    }
  }

  async function take(file) {
    if (!file) return;
    if (file.size > MOST_BYTES) return say(`${file.name} has ${(file.size / 1e6).toFixed(0)} MB. A configuration may have at most 40 MB.`);
    begin({ name: file.name, text: await decoded(file) });
  }

  // The state in the address: JSON, compressed, in the letters that a link may have.
  async function through(stream, raw) {
    return new Uint8Array(await new Response(new Blob([raw]).stream().pipeThrough(stream)).arrayBuffer());
  }

  async function packed(state) {
    const raw = await through(new CompressionStream("deflate-raw"), JSON.stringify(state));
    return btoa(Array.from(raw, (each) => String.fromCharCode(each)).join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  }

  async function unpacked(text) {
    const raw = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), raw)));
  }

  async function keepAddress() {
    const state = await packed({ name, text: sheet.value, load: load.value, facts: typed, dialect: dialect.value });
    address.set("check", state.length > MOST_LINK ? null : state);
    return state.length <= MOST_LINK;
  }

  async function copyLink() {
    if (!(await keepAddress())) return say("The configuration and the load are too long for a link.");
    await navigator.clipboard.writeText(location.href).then(() => say("Link copied. It contains the configuration and the load."), () => say("The link is in the address bar."));
  }

  async function open(state) {
    try {
      const { text, load: sent = "", name: file, facts: known, dialect: named } = await unpacked(state);
      begin({ name: file, text: String(text), load: String(sent), facts: known, dialect: named });
    } catch {
      empty();
      say("The link is damaged, so its configuration cannot be shown.");
    }
  }

  /** What stands here at first, with the report that was stored with it. */
  function example() {
    const { name: file, text, load: sent, facts: known, answer } = window.qoslibExample;
    [name, sheet.value, load.value, typed, before] = [file, text, sent, known ?? {}, base];
    show(answer);
    say(base === null ? `${OF_EXAMPLE} Paste your own configuration.` : `${OF_LESSON} Change the text to compare the results.`);
  }

  function help() {
    dialect.append(...window.qoslibExample.dialects.map((each) => make("option", { value: each }, each)));
    words.append("Write one class per line, as in ", make("code", {}, 'VOICE = "40 calls G.711"'), ". You can use: ",
      ...window.qoslibExample.words.flatMap((each) => [make("code", {}, each), " "]),
      make("a", { href: new URL("../../docs/checking.html#words-for-traffic", HERE).href }, "What each stands for"));
  }

  sheet.text.addEventListener("input", () => {
    before = base;
    forgetExample();
    edited();
  });
  load.text.addEventListener("input", edited);
  dialect.addEventListener("change", edited);
  chosen.addEventListener("change", () => take(chosen.files[0]));
  root.addEventListener("dragover", (event) => event.preventDefault());
  root.addEventListener("drop", (event) => {
    event.preventDefault();
    take(event.dataTransfer.files[0]);
  });
  addEventListener("hashchange", () => address.get("check") && open(address.get("check")));

  const stored = make("script", { src: new URL(EXAMPLE, HERE).href });
  stored.addEventListener("load", async () => {
    base = window.qoslibExample.compare ? window.qoslibExample.text : null;
    help();
    const state = address.get("check");
    if (state) return open(state);
    example();
    if ((await engine.look()) !== "missing" || !latest) return;
    root.classList.add("missing");
    say(`${base === null ? OF_EXAMPLE : OF_LESSON} ${engine.reason}`);
  });
  document.head.append(stored);
})();
