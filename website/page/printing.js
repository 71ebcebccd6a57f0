// Paper is white: a page is printed in its light theme, whichever it is read in.
"use strict";

(() => {
  const root = document.documentElement;
  let read = null;
  addEventListener("beforeprint", () => {
    read = root.dataset.theme;
    root.dataset.theme = "light";
  });
  addEventListener("afterprint", () => {
    if (read === undefined) delete root.dataset.theme; else root.dataset.theme = read;
  });
})();
