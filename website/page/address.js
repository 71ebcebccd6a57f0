"use strict";
// What stands in the address: behind # the state of each thing that moves, as in
// #e0=load:150,buffer:64&s0=..., which no server is sent; ?embed=explorer:0 shows one thing alone.
window.qoslibAddress = (() => {
  const entries = () =>
    location.hash.slice(1).split("&").filter((each) => each.includes("="))
      .map((each) => [each.slice(0, each.indexOf("=")), each.slice(each.indexOf("=") + 1)]);

  // The values of names, as text; and the texts of names again.
  const text = (values) =>
    Object.entries(values)
      .map((pair) => pair.map((each) => encodeURIComponent(each).replaceAll("%20", "+")).join(":"))
      .join(",");
  const read = (given) => {
    const pairs = given ? given.split(",").map((pair) => pair.split(":")) : [];
    return Object.fromEntries(pairs.map(([name, ...value]) => [decoded(name), decoded(value.join(":"))]));
  };
  const decoded = (given) => {
    const spaced = given.replaceAll("+", " ");
    try {
      return decodeURIComponent(spaced);
    } catch {
      return spaced;
    }
  };

  const get = (key) => entries().find(([name]) => name === key)?.[1] ?? null;

  // The address with another state of one thing, or without one.
  const link = (key, state) => {
    const others = entries().filter(([name]) => name !== key);
    const now = state ? [...others, [key, state]] : others;
    const address = new URL(location.href);
    address.hash = now.map((each) => each.join("=")).join("&");
    return address.href;
  };
  const set = (key, state) => {
    if ((state || null) !== get(key)) history.replaceState(history.state, "", link(key, state));
  };

  // A link leads to the thing whose state it names last, once that is there; a reload stays where it was.
  const lead = (key, place, there) => {
    const [how] = performance.getEntriesByType("navigation");
    if (entries().at(-1)?.[0] !== key || how?.type !== "navigate") return;
    const whole = new Promise((done) => (document.readyState === "complete" ? done() : addEventListener("load", done, { once: true })));
    Promise.all([there, whole]).then(() => place.scrollIntoView());
  };

  const embedded = () => {
    const [kind, number] = (new URLSearchParams(location.search).get("embed") ?? "").split(":");
    return kind ? { kind, number: Number(number || 0) } : null;
  };
  // Hide all of the page but one element.
  const alone = (element) => {
    document.documentElement.classList.add("qoslib-embedded");
    for (let at = element; at !== document.body; at = at.parentElement) {
      for (const each of at.parentElement.children) if (each !== at) each.hidden = true;
      at.classList.add("qoslib-alone");
    }
  };

  return { get, set, link, lead, text, read, embedded, alone };
})();
