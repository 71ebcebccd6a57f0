// The picture as it stands, to be sent to a friend: with what the reader had expected below it.

import { FONT, THEMES, penOf } from "./brush.js";
import { make, save } from "./page.js";
import { PICTURE } from "./picture.js";

const LINE = 20;

function pictureOf(view, guess) {
  const { scene, layout, t } = view, lines = guess ? guess.split("\n") : [];
  const { ground, ink } = THEMES[view.dark ? "dark" : "light"];
  const whole = make("canvas"), brush = whole.getContext("2d");
  whole.width = 2 * layout.W;
  whole.height = 2 * (layout.H + LINE * lines.length + 10);
  brush.fillStyle = ground;
  brush.fillRect(0, 0, whole.width, whole.height);
  brush.scale(2, 2);
  const bare = { ...view, live: null, look: { ...view.look, spots: [] } };
  PICTURE.draw(brush, PICTURE.stateAt(scene, t), bare);
  PICTURE.chart(penOf(brush, scene, layout, view));
  brush.fillStyle = ink;
  brush.textAlign = "left";
  lines.forEach((each, at) => {
    brush.font = `${at === lines.length - 1 ? 700 : 400} 14px ${FONT}`;
    brush.fillText(each, layout.pad, layout.H + LINE * (at + 0.9), layout.W - 2 * layout.pad);
  });
  return new Promise((done) => whole.toBlob(done));
}

/** The guess as Python has it now; as it was when the view was made where Python is silent. */
function guessOf(view) {
  const late = new Promise((done) => setTimeout(done, 600, view.scene.guess ?? ""));
  return view.live?.alive ? Promise.race([view.live.guess(), late]) : late;
}

/** Copy the picture, or save it where the page may not copy; the button says which. */
export async function copied(view, button) {
  const blob = guessOf(view).then((guess) => pictureOf(view, guess));
  try {
    // A page that waits for a permission nobody gives would wait for ever.
    const late = new Promise((_, stop) => setTimeout(stop, 2500));
    const item = new ClipboardItem({ "image/png": blob });
    await Promise.race([navigator.clipboard.write([item]), late]);
    button.textContent = "Copied";
  } catch {
    save(await blob, "packets.png");
    button.textContent = "Saved";
  }
  setTimeout(() => (button.textContent = "Copy picture"), 1500);
}
