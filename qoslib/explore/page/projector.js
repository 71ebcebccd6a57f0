// Full screen for a classroom, of any view or explorer: large type, and P to enter and leave.

const PROJECTOR_CSS = `
.qoslib-projected { box-sizing: border-box; width: 100%; max-width: none !important; height: 100%; margin: 0; padding: 12px 24px; overflow: auto;
  background: var(--jp-layout-color0, Canvas); color: var(--jp-content-font-color1, CanvasText); font-size: 24px !important; line-height: 1.35;
  --jp-widgets-font-size: 24px; --jp-ui-font-size1: 24px; --jp-content-font-size1: 24px; --jp-code-font-size: 24px;
  --jp-widgets-inline-height: 40px; --jp-widgets-inline-label-width: 300px; }
.qoslib-projected::backdrop { background: var(--jp-layout-color0, Canvas); }
.qoslib-projected .qoslib-not-projected { display: none !important; }
.qoslib-projected:fullscreen::after { content: "Esc leaves this screen"; position: fixed; right: 8px; bottom: 1px; font-size: 14px; line-height: 1.2; pointer-events: none; }
`;

/**
 * A button that lets an element fill the screen; null where the page may not be full screen. P enters
 * and leaves, Escape leaves. `changed` is called with true and false. What has the class
 * `qoslib-not-projected` is hidden meanwhile.
 */
export function projector(root, changed = () => {}) {
  if (!document.fullscreenEnabled) return null;
  const button = document.createElement("button"), style = document.createElement("style");
  style.textContent = PROJECTOR_CSS;
  root.prepend(style);
  button.type = "button";
  button.className = "qoslib-projector";
  button.textContent = "Projector";
  button.title = "Fill the screen, with large type (P)";
  button.setAttribute("aria-keyshortcuts", "P");
  const projected = () => document.fullscreenElement === root;
  const turn = () => (projected() ? document.exitFullscreen() : root.requestFullscreen()).catch(() => {});
  button.addEventListener("click", turn);
  root.addEventListener("keydown", (event) => {
    const typing = event.target.isContentEditable || event.target.matches("input:not([type=range]), textarea, select");
    const meant = (event.key.toLowerCase() === "p" && !typing) || (event.key === "Escape" && projected());
    if (!meant || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    turn();
  });
  root.addEventListener("fullscreenchange", () => {
    const on = projected();
    root.classList.toggle("qoslib-projected", on);
    button.setAttribute("aria-pressed", on);
    // Keys go to what fills the screen, wherever they went before.
    if (on) root.focus();
    changed(on);
  });
  button.setAttribute("aria-pressed", false);
  return button;
}
