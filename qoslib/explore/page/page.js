// Elements of the page, and how they look.

export const CSS = `
.qoslib-packets { max-width: 1040px; font: 13.5px/1.4 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; color: var(--jp-content-font-color1, inherit); }
.qoslib-packets .stage { position: relative; }
.qoslib-packets canvas { display: block; width: 100%; touch-action: pan-y; }
.qoslib-packets .scrub { display: block; width: calc(100% - 4px); margin: 0 2px; accent-color: #0072B2; height: 18px; }
.qoslib-packets .buttons { font-size: 0.96em; display: flex; flex-wrap: wrap; gap: 5px 8px; align-items: center; margin-top: 4px; }
.qoslib-packets .buttons.moves { column-gap: 10px; }
.qoslib-packets .moves select { max-width: 16em; padding: 3px 0; }
.qoslib-packets .buttons label { display: flex; gap: 6px; align-items: center; }
.qoslib-packets .buttons label input { width: 5.6em; accent-color: #0072B2; }
.qoslib-packets .buttons label span { white-space: nowrap; }
.qoslib-packets .buttons.moves label { flex: 1 1 auto; max-width: 26em; }
.qoslib-packets .buttons.moves label input { flex: 1 1 5.6em; }
.qoslib-packets button, .qoslib-packets select { font: inherit; color: inherit; background: transparent; border: 1px solid #7D858F; border-radius: 7px; padding: 3px 9px; cursor: pointer; min-height: 2.2em; }
.qoslib-packets option { color: #1F2328; background: #fff; }
.qoslib-packets button:hover { background: #7D858F22; }
.qoslib-packets .play { min-width: 6.2em; font-weight: 600; color: #fff; background: #0067A3; border-color: #0067A3; }
.qoslib-packets .play:hover { background: #00578A; }
.qoslib-packets .clock { margin-left: auto; font-variant-numeric: tabular-nums; }
.qoslib-packets .said { margin: 4px 0 0; min-height: 1.4em; font-variant-numeric: tabular-nums; }
.qoslib-packets summary { width: fit-content; }
.qoslib-packets td[colspan] { text-align: left; padding-left: 1em; }
.qoslib-packets .signs { float: right; max-width: calc(100% - 7em); margin: 0; font-size: 0.9em; opacity: 0.8; }
.qoslib-packets .story { position: absolute; z-index: 3; pointer-events: none; max-width: min(22em, 60%); padding: 7px 10px; border-radius: 8px; font-size: 0.93em; background: #1F2328; color: #fff; box-shadow: 0 3px 12px #0005; }
.qoslib-packets .dark .story { background: #E6EDF3; color: #10151A; }
.qoslib-packets .story b { display: block; }
.qoslib-packets table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.qoslib-packets .moves { position: relative; }
.qoslib-packets [data-hint]:is(:hover, :focus-visible)::after { content: attr(data-hint); position: absolute; z-index: 3; right: 0; bottom: calc(100% + 8px); max-width: 100%; padding: 6px 10px; border-radius: 8px; background: #1F2328; color: #fff; text-align: left; pointer-events: none; box-shadow: 0 3px 12px #0005; }
.qoslib-packets td, .qoslib-packets th { padding: 1px 12px 1px 0; text-align: right; font-weight: 400; }
.qoslib-packets th:first-child { text-align: left; }
.qoslib-packets thead th { font-weight: 600; }
.qoslib-packets.qoslib-projected .said { overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
.qoslib-packets.qoslib-projected .moves select { max-width: 7em; }
.qoslib-packets.qoslib-projected .stage canvas { margin: 0 auto; }
.jupyter-widgets-disconnected:has(> .qoslib-packets)::before { content: "Python has stopped or restarted. Run this cell to wake it."; font-weight: 600; }
.qoslib-packets :focus-visible { outline: 2.5px solid #0072B2; outline-offset: 2px; }
`;

export function make(tag, given = {}, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value);
  }
  made.append(...inside);
  return made;
}

export function save(blob, name) {
  const url = URL.createObjectURL(blob);
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export function brightness(colour) {
  const found = /(\d+)\D+(\d+)\D+(\d+)/.exec(colour ?? "");
  return found ? 0.3 * found[1] + 0.6 * found[2] + 0.1 * found[3] : 0;
}
