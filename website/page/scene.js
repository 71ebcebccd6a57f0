// The packet view in a page of the site: it plays from a stored record. What a hand changes is
// answered from other stored records, or else by the engine; the line below says by which.
"use strict";

(() => {
  const { load, recordOf, textOf, keyOf, changesOf, settingsOf, changed, stopsOf } = qoslibScenes;
  const address = window.qoslibAddress;
  const reason = "This page has no engine.";
  const NONE = { status: "missing", reason, look: async () => "missing", ask: async () => ({ error: reason }) };
  const engine = window.qoslibEngine ?? Object.assign(new EventTarget(), NONE);
  /** How far before it is in sight a scene is loaded. */
  const AHEAD = "600px";
  const SAID = { stored: "Computed in advance, and stored with this page.", engine: "Computed by the engine in this page." };

  /** Mount the scene of a place; afterwards it tells the place what it shows. */
  async function mounted(place) {
    const { lesson, number = "0" } = place.dataset, name = `${lesson}-${number}`, key = `s${number}`;
    const { mount, stored, coming, more, guess } = await recordOf(name), first = stored.get("");
    const few = stored.size === 1 && !more.length;
    if (few) await engine.look();
    const said = document.createElement("p"), inside = document.createElement("div");
    said.className = "qoslib-source";
    said.setAttribute("role", "status");
    // What is shown, and what is asked of the engine while it does not show that yet.
    let settings = new Map(), wanted = null, asking = false, loaded = 0;
    const tell = (words) => { if (said.textContent !== words) said.textContent = words; };
    const live = {
      alive: !few || engine.status !== "missing",
      patient: true,
      loops: "loops" in place.dataset,
      enlarged: Number(place.dataset.enlarged ?? 1),
      guess: async () => window.qoslibPredictions?.words(guess) ?? "",
      stops: (handle) => (engine.status === "ready" ? null : stopsOf([...stored.keys(), ...coming.keys()], wanted ?? settings, first.spec, handle)),
      ask(change) {
        to(changed(wanted ?? settings, change, first.spec));
        // Where the first move was a stored one, the next may have any value.
        if (!change.reset && engine.status === "idle" && !("still" in place.dataset)) engine.start();
      },
    };

    /** Show other settings: from what is stored, or as the engine answers. */
    function to(next) {
      const key = keyOf(next), there = stored.get(key);
      if (there) return show(next, there, "stored");
      wanted = next;
      if (coming.has(key)) fetched(next, coming.get(key));
      else if (!asking) run();
    }

    /** Load the file of settings that are stored; without it, the engine may answer. */
    async function fetched(next, file) {
      tell("These settings are loading. Until then the picture shows the previous ones.");
      await load(`scenes/${file}.js`).then(() => recordOf(name)).catch(console.error);
      if (!stored.has(keyOf(next))) coming.clear();
      if (wanted === next) to(next);
    }

    /** Only one question is out; what is wanted when its answer comes is the next. */
    async function run() {
      asking = true;
      while (wanted) {
        const asked = wanted;
        waits();
        const answer = await engine.ask({ ask: "scene", lesson, number: Number(number), changes: changesOf(asked) });
        if (wanted !== asked) continue;
        if (answer.data) show(asked, { spec: answer.spec, data: new Uint8Array(answer.data) }, "engine");
        else refuse(answer.error ?? "The engine was stopped.");
      }
      asking = false;
    }

    function waits() {
      const coming = loaded < 1 ? `The engine is loading: ${Math.round(100 * loaded)} %.` : "The engine has loaded and is starting.";
      const doing = engine.status === "ready" ? "The engine is running the model." : coming;
      tell(`${doing} Until then the picture shows the previous settings.`);
    }

    function show(next, { spec, data }, source) {
      settings = next;
      wanted = null;
      shown.update(spec, data);
      tell(SAID[source]);
      address?.set(key, "still" in place.dataset ? "" : textOf(settings));
      place.dispatchEvent(new CustomEvent("qoslib-scene"));
    }

    /** What moved goes back to where it was: no number of other settings is shown. */
    function refuse(words) {
      wanted = null;
      shown.fail("");
      tell(words);
    }

    place.replaceChildren(inside, said);
    const shown = mount(inside, first.spec, first.data, live);
    tell(live.alive ? SAID.stored : `${SAID.stored} ${engine.reason}`);
    engine.addEventListener("progress", ({ detail }) => {
      loaded = detail.loaded / detail.total;
      if (asking) waits();
    });
    place.qoslib = { shown, stored: () => stored.size, get settings() { return textOf(settings); } };
    place.dispatchEvent(new CustomEvent("qoslib-mounted"));
    for (const [file] of more) await load(`scenes/${file}.js`);
    if (more.length) await recordOf(name);
    const given = settingsOf(address?.get(key) ?? "");
    if (given.size) to(given);
  }

  const places = [...document.querySelectorAll('.qoslib-live[data-kind="scene"]')];
  const begin = (place) => mounted(place).catch((error) => {
    // The stored picture stays.
    console.error(error);
  });
  const alone = address?.embedded();
  for (const place of places) if (alone?.kind === "scene" && alone.number === Number(place.dataset.number)) address.alone(place);
  const near = new IntersectionObserver((all) => all.filter((each) => each.isIntersecting).forEach(({ target }) => {
    near.unobserve(target);
    begin(target);
  }), { rootMargin: AHEAD });
  for (const place of places) {
    const key = `s${place.dataset.number ?? 0}`;
    if (address?.get(key)) address.lead(key, place, null);
    near.observe(place);
  }
})();
