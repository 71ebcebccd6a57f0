// The first page: the scene plays at once, a hand shows where to drag, and a sentence says what came of it.
"use strict";

(() => {
  const place = document.querySelector(".qoslib-live"), outcome = document.querySelector(".outcome");
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const HAND = `<span class="hand" aria-hidden="true"><svg viewBox="0 0 32 32"><path d="M10 4.4a2.4 2.4 0 0 1 4.8 0V13l8.8 1.7a3.6 3.6 0 0 1 2.9 4.1l-1 6a5.2 5.2 0 0 1-5.1 4.3h-5.3a6 6 0 0 1-4.5-2L4.4 20.5a2.3 2.3 0 0 1 3.3-3.2l2.3 2Z"/></svg></span>`;
  let first = null, hand = null;

  /** Packets of the window that are lost [%], and the mean delay of those that are sent [s]. */
  function figures(shown) {
    const { offered, dropped, delay } = shown.state(shown.scene.end_s).lanes[0];
    return { loss: Math.round((100 * dropped) / offered), delay };
  }

  /** Where the wall is: the hand stays beside its grip while the page changes its size. */
  function point() {
    const { shown } = place.qoslib, wall = shown.handles().find(({ kind }) => kind === "limit");
    const canvas = place.querySelector("canvas"), scale = canvas.clientWidth / shown.layout.W;
    hand.style.left = `${scale * (wall.x + wall.w / 2)}px`;
    hand.style.top = `${scale * (wall.y + wall.h / 2)}px`;
  }

  place.addEventListener("qoslib-mounted", () => {
    const { shown } = place.qoslib;
    first = figures(shown);
    const stage = place.querySelector(".stage");
    stage.insertAdjacentHTML("beforeend", HAND);
    hand = stage.lastElementChild;
    new ResizeObserver(() => hand?.isConnected && point()).observe(stage);
    point();
    if (calm.matches) shown.seek(shown.scene.end_s / 3); else shown.play();
  });

  place.addEventListener("qoslib-scene", () => {
    hand.remove();
    const { shown } = place.qoslib, now = figures(shown);
    const [before, after] = [first.delay, now.delay].map(shown.delay);
    outcome.textContent = `In the whole window: loss ${first.loss} % → ${now.loss} %, mean delay ${before} → ${after}.`;
  });
})();
