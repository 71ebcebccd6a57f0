// The canvas: how large it is, in which theme, and what is painted on it at a time.

import { THEMES, penOf } from "./brush.js";
import { NARROWEST, projectedLayout } from "./layout.js";
import { brightness, make } from "./page.js";
import { PICTURE } from "./picture.js";

const THEMED = ["class", "style", "data-theme", "data-jp-theme-light"];

/** The canvas of a view in its place; `painted` is called with the state of every frame. */
export function stageOf(view, place, painted) {
  const canvas = make("canvas", { role: "img" }), context = canvas.getContext("2d");
  let still = null, width = 0;
  place.append(canvas);

  const isDark = () => brightness(getComputedStyle(view.root).color) > 128;
  const projected = () => view.root.classList.contains("qoslib-projected");

  /** How high the canvas may be where the view fills the screen. */
  function heightLeft() {
    const { root } = view, { paddingTop, paddingBottom } = getComputedStyle(root);
    const others = [...root.children].filter((each) => each !== place);
    const used = others.reduce((sum, each) => sum + each.offsetHeight + 6, 0);
    return root.clientHeight - parseFloat(paddingTop) - parseFloat(paddingBottom) - used;
  }

  /** Lay out for the size and theme of the page, and paint what stays as it is. */
  function prepare() {
    const { root, scene } = view, large = projected(), times = view.live?.enlarged ?? 1;
    width = place.clientWidth || 820;
    view.dark = isDark();
    place.classList.toggle("dark", view.dark);
    root.style.colorScheme = view.dark ? "dark" : "light";
    const how = { before: view.layout, held: Boolean(view.look.held), ...(times > 1 && { W: Math.max(NARROWEST, width / times) }) };
    const layout = large ? projectedLayout(PICTURE.layoutOf, scene, width, heightLeft(), view.pair) : PICTURE.layoutOf(scene, width, how);
    view.layout = layout;
    const sharp = Math.max(devicePixelRatio || 1, 1) * (large ? layout.scale : Math.min(times, layout.scale)) || 1;
    canvas.width = Math.round(layout.W * sharp);
    canvas.height = Math.round(layout.H * sharp);
    canvas.style.maxWidth = large ? "" : `${times * layout.W}px`;
    canvas.style.aspectRatio = `${layout.W} / ${layout.H}`;
    context.setTransform(sharp, 0, 0, sharp, 0, 0);
    context.clearRect(0, 0, layout.W, layout.H);
    PICTURE.chart(penOf(context, scene, layout, view));
    const below = Math.floor(layout.chart.y * sharp);
    still = new OffscreenCanvas(canvas.width, Math.max(canvas.height - below, 1));
    still.getContext("2d").drawImage(canvas, 0, -below);
    still.at = below / sharp;
    still.sharp = sharp;
  }

  function paint() {
    const began = performance.now(), { scene, layout, t, stats } = view, state = PICTURE.stateAt(scene, t);
    context.clearRect(0, 0, layout.W, layout.H);
    PICTURE.draw(context, state, view);
    context.drawImage(still, 0, still.at, still.width / still.sharp, still.height / still.sharp);
    const { x, y, w, h } = layout.chart, at = x + (w * t) / scene.end_s;
    context.fillStyle = THEMES[view.dark ? "dark" : "light"].ink;
    context.fillRect(at - 0.75, y + 14, 1.5, h - 14);
    painted(state);
    stats.frames += 1;
    stats.drawing_ms.push(performance.now() - began);
    if (stats.drawing_ms.length > 600) stats.drawing_ms.shift();
    return state;
  }

  const again = () => { prepare(); paint(); };
  const sizer = new ResizeObserver(() => {
    if (place.clientWidth && place.clientWidth !== width) again();
  });
  /** The theme may have changed; a slider that is dragged changes the style of the body, too. */
  const look = () => { if (isDark() !== view.dark) again(); };
  const theme = new MutationObserver(look);
  sizer.observe(view.root);
  for (const each of [document.documentElement, document.body]) {
    theme.observe(each, { attributes: true, attributeFilter: THEMED });
  }
  const close = () => { sizer.disconnect(); theme.disconnect(); };
  return { canvas, prepare, paint, again, look, close };
}
