// What every page needs a script for: Escape hides a definition that a key or the mouse has shown, and the
// list of the page's sections marks the one that is read, on the way up, too.
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

    const links = [...document.querySelectorAll(".page-toc a[href^='#']")].filter((each) => each.hash);
    const sections = links.map((each) => document.getElementById(decodeURIComponent(each.hash.slice(1))));
    const mark = () => {
        // At the end of a page the last sections cannot come to its top: what was chosen stays.
        if (innerHeight + scrollY >= document.documentElement.scrollHeight - 2) return;
        const read = sections.findLastIndex((each) => each?.getBoundingClientRect().top < 0.3 * innerHeight);
        links.forEach((each, at) => {
            each.classList.toggle("active", at === read);
            if (at === read) each.setAttribute("aria-current", "true");
            else each.removeAttribute("aria-current");
        });
    };
    let waiting = 0;
    if (links.length) addEventListener("scroll", () => { waiting ||= requestAnimationFrame(() => { waiting = 0; mark(); }); }, {passive: true});
})();
