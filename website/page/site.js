// What every page needs a script for: Escape hides a definition that a key or the mouse has shown.
"use strict";
(() => {
    const opened = () => document.querySelector(".qoslib-word:hover, .qoslib-word:focus-within");
    document.addEventListener("keydown", (event) => {
        const word = event.key === "Escape" && opened();
        if (!word) return;
        word.classList.add("closed");
        const again = () => word.classList.remove("closed");
        word.addEventListener("mouseleave", again, {once: true});
        word.addEventListener("focusout", again, {once: true});
    });
})();
