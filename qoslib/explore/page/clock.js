// The clock: it plays, steps from event to event, and asks for frames only while it is seen.

import { upto } from "./scene.js";

const STEP_MS = 500;

/** The clock of a view; `paint` draws a frame, and `rested` hears of every state that stays. */
export function clockOf(view, paint, rested) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let seen = true, frame = 0, before = 0, stepping = 0;

  function tick(now) {
    frame = 0;
    if (!view.playing || !seen) return;
    view.t += Math.min((now - before) / 1000, 0.1) * view.layout.pace * view.speed;
    before = now;
    if (view.t >= view.scene.end_s && view.live?.loops) view.t = 0;
    if (view.t >= view.scene.end_s) {
      view.t = view.scene.end_s;
      pause();
      return;
    }
    paint();
    frame = requestAnimationFrame(tick);
  }

  function wake() {
    if (!view.playing || !seen || frame || calm.matches) return;
    before = performance.now();
    frame = requestAnimationFrame(tick);
  }

  function play() {
    if (view.t >= view.scene.end_s) view.t = 0;
    view.playing = true;
    const next = () => (view.t >= view.scene.end_s ? pause() : seek(after(1)));
    if (calm.matches) stepping = setInterval(next, STEP_MS);
    wake();
    paint();
  }

  function pause() {
    view.playing = false;
    cancelAnimationFrame(frame);
    clearInterval(stepping);
    frame = 0;
    rested(paint());
  }

  /** When the next or the last thing happened. */
  function after(direction) {
    const { events, end_s } = view.scene, place = upto(events, view.t);
    if (direction > 0) return events[place] ?? end_s;
    let at = place - 1;
    while (at >= 0 && events[at] >= view.t) at -= 1;
    return at >= 0 ? events[at] : 0;
  }

  function seek(to) {
    view.t = Math.max(0, Math.min(view.scene.end_s, to));
    const state = paint();
    if (!view.playing) rested(state);
  }

  function step(direction) {
    if (view.playing) pause();
    seek(after(direction));
  }

  const watcher = new IntersectionObserver((all) => {
    seen = all[all.length - 1].isIntersecting;
    if (seen) { view.stage.look(); wake(); } else { cancelAnimationFrame(frame); frame = 0; }
  });
  watcher.observe(view.root);
  return {
    play, pause, seek, step,
    turn: () => (view.playing ? pause() : play()),
    /** Paint what changed, unless the next frame does. */
    repaint: () => { if (!view.playing || !frame) paint(); },
    begin: () => { if (view.scene.playing && !calm.matches) play(); },
    close: () => { pause(); watcher.disconnect(); },
  };
}
