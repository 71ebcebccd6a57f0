// Keys in what a cell shows: its own, but for those that run the cell.

/**
 * JupyterLab must not take arrow keys and letters for its own commands. Shift+Enter runs a cell
 * everywhere else in a notebook, and so it does here: the cell gets the key and the focus.
 */
export function keep_keys(root) {
  root.dataset.lmSuppressShortcuts = "true";
  root.addEventListener("keydown", (event) => {
    event.stopPropagation();
    const cell = root.closest(".jp-Notebook .jp-Cell"), { key, shiftKey, ctrlKey, altKey } = event;
    if (!cell || key !== "Enter" || !(shiftKey || ctrlKey)) return;
    event.preventDefault();
    // A number that is being typed is given first.
    cell.focus();
    cell.dispatchEvent(new KeyboardEvent("keydown", { key, code: key, keyCode: 13, shiftKey, ctrlKey, altKey, bubbles: true, cancelable: true }));
  });
}
