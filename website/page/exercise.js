// The exercises of a lesson: a number, a choice or code, which the engine checks as the cell of the
// notebook does. What is typed stays in the page: no address can bring code into it.
"use strict";

(() => {
  const engine = window.qoslibEngine;
  const LOADS = "The first check loads Python and the models into this page, up to 17 MB.";
  const element = (tag, given, ...inside) => {
    const made = Object.assign(document.createElement(tag), given);
    made.append(...inside);
    return made;
  };

  /** Words in which `code` is marked as in Markdown. */
  const marked = (text) => text.split("`").map((part, n) => (n % 2 ? element("code", { textContent: part }) : part));

  /** What asks for the answer, and `given()`: what a message says of it, or what is missing. */
  const KINDS = {
    number({ name, unit }) {
      const input = element("input", { id: `answer-${name}`, type: "text", inputMode: "decimal", autocomplete: "off", size: 8 });
      const label = element("label", { htmlFor: input.id, textContent: "Your answer" });
      const given = () => (input.value.trim() ? { answer: input.value } : { missing: `Type a number in ${unit}.` });
      return { parts: [label, input, element("span", { textContent: unit })], inputs: [input], given };
    },
    choice({ name, choices }) {
      const inputs = [...choices].map((letter) => element("input", { type: "radio", name: `answer-${name}`, value: letter }));
      const labels = inputs.map((input) => element("label", {}, input, ` (${input.value})`));
      const set = element("fieldset", {}, element("legend", { textContent: "Your answer" }), ...labels);
      const given = () => {
        const chosen = inputs.find((each) => each.checked);
        return chosen ? { answer: `"${chosen.value}"` } : { missing: "Choose one of the answers." };
      };
      return { parts: [set], inputs, given };
    },
    code({ name }, begun) {
      const rows = Math.max(6, begun.split("\n").length + 2);
      const input = element("textarea", { id: `answer-${name}`, value: begun, rows, spellcheck: false, wrap: "off", autocapitalize: "off", autocomplete: "off" });
      const label = element("label", { htmlFor: input.id, textContent: "Your code, which knows all names of the lesson's code above" });
      input.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" || !(event.shiftKey || event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        input.form.requestSubmit();
      });
      return { parts: [label, input], inputs: [input], given: () => ({ code: input.value }) };
    },
  };

  /** What an answer of the engine says, as elements. */
  function said({ printed, right, text, shown, wrong, error, stopped }) {
    if (stopped) return [element("p", { textContent: "Stopped." })];
    const made = [printed, shown].filter(Boolean).map((each) => element("pre", { textContent: each, tabIndex: 0 }));
    if (text !== undefined) {
      const word = element("strong", { textContent: right ? "Right: " : "Not yet: " });
      made.push(element("p", { className: right ? "right" : "wrong" }, word, ...marked(text)));
    } else if (wrong || error) {
      made.push(element("p", { className: "wrong", textContent: `${wrong ?? error}.`.replace(/([.!?])\.$/, "$1") }));
    } else if (!made.length) {
      made.push(element("p", { textContent: "The code ran. Its last line shows nothing: end with check(...)." }));
    }
    return made;
  }

  function ask(place) {
    const { lesson, name, kind } = place.dataset;
    const begun = place.querySelector("pre")?.textContent.trimEnd() ?? "";
    const { parts, inputs, given } = KINDS[kind](place.dataset, begun);
    const check = element("button", { type: "submit", textContent: kind === "code" ? "Run and check" : "Check" });
    const stop = element("button", { type: "button", textContent: "Stop", hidden: true, onclick: () => engine.stop() });
    const note = element("p", { className: "note" });
    const form = element("form", { noValidate: true, className: kind }, ...parts, check, stop);
    form.setAttribute("aria-label", `Exercise ${name}`);
    const answered = element("div", { className: "answered" });
    answered.setAttribute("role", "status");
    place.replaceChildren(form, note, answered);

    const look = () => {
      const missing = engine.status === "missing";
      [check, ...inputs].forEach((each) => { each.disabled = missing; });
      if (missing) note.textContent = `Answers cannot be checked in this page. ${engine.reason}`;
      else if (engine.status !== "loading") note.textContent = engine.status === "ready" ? "" : LOADS;
    };
    const loading = ({ detail }) => {
      note.textContent = `Loading: ${(detail.loaded / 1e6).toFixed(0)} of ${(detail.total / 1e6).toFixed(0)} MB`;
    };
    engine.addEventListener("status", look);
    engine.look().then(look);

    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (check.disabled) return;
      const { missing, ...mine } = given();
      if (missing) return answered.replaceChildren(element("p", { textContent: missing }));
      check.disabled = true;
      stop.hidden = false;
      answered.replaceChildren(element("p", { textContent: "Checking ..." }));
      engine.addEventListener("progress", loading);
      const answer = await engine.ask({ ask: "exercise", lesson, number: name, ...mine });
      engine.removeEventListener("progress", loading);
      stop.hidden = true;
      look();
      answered.replaceChildren(...said(answer));
    });
  }

  if (!window.qoslibAddress?.embedded()) document.querySelectorAll(".qoslib-exercise").forEach(ask);
})();
