// The predictions of a lesson: the question of the notebook, the answer when there is a guess. Guesses
// stay in this browser, and can be saved as the archive that `lessons.guesses` reads when unpacked.
"use strict";

window.qoslibPredictions = (() => {
  const KEY = "qoslib.guesses";
  const { specs, render } = qoslibQuestions;

  /** What is kept; nothing where the browser keeps nothing for this page. */
  function kept() {
    try {
      return JSON.parse(localStorage.getItem(KEY)) ?? {};
    } catch {
      return {};
    }
  }
  const guesses = new Map(Object.entries(kept()).filter(([name]) => name in specs));

  function keep(name, guess) {
    guesses.set(name, guess);
    try {
      localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(guesses)));
    } catch {
      // It is known until the page is closed.
    }
  }

  function said(name) {
    const { kind, unit } = specs[name];
    return kind === "curve" ? "Your curve is above." : `You said: ${guesses.get(name)}${unit ? ` ${unit}` : ""}.`;
  }

  /** Question and guess as a picture that is copied has them; nothing of a curve. */
  function words(name) {
    if (!(name in specs) || !guesses.has(name) || specs[name].kind === "curve") return "";
    return `${specs[name].question}\nMy guess: ${said(name).slice("You said: ".length)}`;
  }

  const element = (tag, given, ...inside) => {
    const made = Object.assign(document.createElement(tag), given);
    made.append(...inside);
    return made;
  };

  /** What follows a question and gives its answer away: from the first answer to the next question or section. */
  function following(place) {
    const answer = [...document.querySelectorAll(".qoslib-answer")].find((each) => each.dataset.name === place.dataset.name);
    if (!answer || !(place.compareDocumentPosition(answer) & Node.DOCUMENT_POSITION_FOLLOWING)) return [];
    const found = [];
    for (let each = answer; each && !each.matches("section, .qoslib-predict"); each = each.nextElementSibling) found.push(each);
    return found;
  }

  /** Fold the outputs of later sections that give an answer away; what opens them all again. */
  function folded(name) {
    const folds = [...document.querySelectorAll(".qoslib-after")].filter((each) => each.dataset.name === name).map((each) => {
      const summary = element("summary", { textContent: "Show this output, which may give away the answer to a prediction above" });
      const fold = element("details", { className: "qoslib-fold" }, summary);
      each.replaceWith(fold);
      fold.append(each);
      return () => fold.replaceWith(each);
    });
    return () => folds.splice(0).forEach((unfold) => unfold());
  }

  function ask(place) {
    const { name } = place.dataset, after = following(place), unfold = guesses.has(name) ? () => {} : folded(name);
    const mine = element("p", { className: "qoslib-guess", hidden: true });
    const skip = element("button", { type: "button", textContent: "Show the answer without a prediction", onclick: () => open() });
    const closed = element("p", { className: "qoslib-closed" }, "The answer opens once you have made a prediction. ", skip);
    const save = element("button", { type: "button", textContent: "Save my predictions", onclick: () => saved() });
    const mount = element("div", {});
    place.replaceChildren(mount, save);
    after[0]?.before(closed, mine);
    const open = () => {
      closed.remove();
      unfold();
      after.forEach((each) => { each.hidden = false; });
      after.filter((each) => each.matches(".qoslib-answer")).forEach((each) => { each.open = true; });
    };
    const show = () => {
      mine.hidden = !guesses.has(name);
      save.hidden = !guesses.size;
      if (guesses.has(name)) mine.textContent = said(name);
    };
    const state = { spec: specs[name], guess: guesses.get(name) ?? null, part: [] };
    const model = {
      get: (what) => state[what],
      set: (what, value) => { state[what] = value; },
      save_changes() {
        if (state.guess === null) return;
        keep(name, state.guess);
        show();
        open();
      },
    };
    if (!guesses.has(name)) after.forEach((each) => { each.hidden = true; });
    else closed.remove();
    show();
    render({ model, el: mount });
  }

  function saved() {
    const files = [...guesses].map(([name, guess]) => [`${name}.json`, `${JSON.stringify({ prediction: name, guess })}\n`]);
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(qoslibZip(files)), download: "predictions.zip" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  // What stands alone in a frame has no question beside it, and nothing is closed.
  const places = window.qoslibAddress?.embedded() ? [] : document.querySelectorAll(".qoslib-predict[data-name]");
  places.forEach((place) => place.dataset.name in specs && ask(place));
  return { words };
})();
