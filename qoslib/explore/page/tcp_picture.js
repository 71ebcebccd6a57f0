// What the view shows of a scene: TCP senders, their windows, and the path.

import { make } from "./page.js";
import { chartOfTcp } from "./tcp_chart.js";
import { drawTcp } from "./tcp_draw.js";
import { layoutOfTcp } from "./tcp_layout.js";
import { countedOfTcp, loadTcp, stateOfTcp, storyOfTcp, toldOfTcp } from "./tcp_scene.js";

const HEAD = ["", "window", "ssthresh", "in flight", "sent", "retransmitted", "dropped", "timeouts", "acknowledged"];

/** The counters of each sender and stream as the head and body of a table. */
function countersOfTcp(scene, state) {
  const rows = scene.lanes.flatMap((lane, n) => lane.flows.map((flow, f) => {
    const { dropped, offered } = state.lanes[n].flows[f], own = state.lanes[n].senders[f];
    const name = scene.lanes.length > 1 ? `${lane.title}, ${flow.name}` : flow.name;
    if (!own) return [name, "–", "–", "–", offered, "–", dropped, "–", "–"];
    const limit = Number.isFinite(own.ssthresh) ? own.ssthresh.toFixed(0) : "–";
    return [name, own.window.toFixed(1), limit, own.flight, own.sent, own.again, dropped, own.timeouts, own.acknowledged];
  }));
  const cells = (each) => each.map((cell, at) => make(at ? "td" : "th", at ? {} : { scope: "row" }, String(cell)));
  return [
    make("thead", {}, make("tr", {}, ...HEAD.map((cell) => make("th", { scope: "col" }, cell)))),
    make("tbody", {}, ...rows.map((each) => make("tr", {}, ...cells(each)))),
  ];
}

export const PICTURE = {
  load: loadTcp, stateAt: stateOfTcp, storyOf: storyOfTcp, told: toldOfTcp, layoutOf: layoutOfTcp,
  draw: drawTcp, chart: chartOfTcp, counters: countersOfTcp, counted: countedOfTcp,
};
