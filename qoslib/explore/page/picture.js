// What the view shows of a scene: packets at a port.

import { chart } from "./chart.js";
import { draw } from "./draw.js";
import { layoutOf } from "./layout.js";
import { counters } from "./page.js";
import { load } from "./scene.js";
import { stateAt, storyOf } from "./state.js";
import { told } from "./words.js";

/** The counters of a lane, for the status line. */
const portInWords = (now) => `${now.waiting} waiting, ${now.sent} sent, ${now.dropped} dropped`;

export const PICTURE = { load, stateAt, storyOf, told, layoutOf, draw, chart, counters, counted: portInWords };
