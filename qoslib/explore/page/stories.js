// The packet that is pointed at and the one that is followed: where they are, and their stories.

import { make } from "./page.js";
import { PICTURE } from "./picture.js";
import { upto } from "./scene.js";

/** Stories of packets of a view; `tip` is the element that shows the one that is pointed at. */
export function storiesOf(view, tip) {
  let hovered = null;

  function spotAt(x, y) {
    const { spots } = view.look;
    for (let s = spots.length - 1; s >= 0; s--) {
      const [, , left, top, w, h] = spots[s];
      if (x >= left - 1 && x <= left + Math.max(w, 3) + 1 && y >= top - 3 && y <= top + h + 3) return spots[s];
    }
    return null;
  }

  function show() {
    tip.hidden = true;
    const spot = hovered && view.look.spots.find((s) => s[0] === hovered.number && s[1] === hovered.i);
    if (!spot) return;
    tip.hidden = false;
    const { canvas } = view.stage, scale = canvas.clientWidth / view.layout.W;
    const story = PICTURE.storyOf(view.scene, hovered.number, hovered.i, view.t);
    tip.replaceChildren(make("b", {}, story.title ?? `Packet ${story.number}`), PICTURE.told(story).join(" "));
    const x = Math.min((spot[2] + spot[4] / 2) * scale - 130, canvas.clientWidth - tip.offsetWidth);
    tip.style.left = `${Math.max(x, 0)}px`;
    tip.style.top = `${(spot[3] + spot[5] + 12) * scale}px`;
  }

  return {
    show,
    /** Point at what is at a place of the canvas; at nothing without one. */
    point(x = -1, y = -1) {
      const spot = spotAt(x, y);
      hovered = spot && { number: spot[0], i: spot[1] };
      show();
    },
    /** Follow the packet at a place. */
    pick(x, y) {
      const spot = spotAt(x, y);
      view.look.followed = spot ? view.scene.lanes[spot[0]].number[spot[1]] : null;
    },
    /** Follow the next or the previous packet of the first lane. */
    next(direction) {
      const [lane] = view.scene.lanes, { followed } = view.look;
      const known = followed === null ? -1 : lane.number.indexOf(followed);
      const now = known < 0 ? upto(lane.arrival, view.t) - 1 - direction : known;
      view.look.followed = lane.number[Math.max(0, Math.min(lane.count - 1, now + direction))];
    },
    /** What happened to the packet that is followed, in each lane. */
    followed() {
      const { scene, t, look: { followed } } = view;
      if (followed === null) return "";
      const stories = scene.lanes.map((lane, n) => {
        const i = lane.number.indexOf(followed), name = scene.lanes.length > 1 ? `${lane.title}: ` : "";
        return i < 0 ? "" : name + PICTURE.told(PICTURE.storyOf(scene, n, i, t)).slice(n ? 1 : 0).join(" ");
      });
      return stories.some(Boolean) ? ` Packet ${followed}: ${stories.filter(Boolean).join(" ")}` : "";
    },
  };
}
