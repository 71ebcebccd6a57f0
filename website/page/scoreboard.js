// Rows of the scoreboard by words and by lists, sorted by a click on a heading.
"use strict";
(() => {
    const table = document.getElementById("scoreboard-rows");
    const form = document.querySelector(".qoslib-filter");
    if (!table || !form) return;
    const body = table.tBodies[0];
    const rows = Array.from(body.rows, (row) => ({
        row,
        cells: Array.from(row.cells, (cell) => cell.textContent),
        text: row.textContent.toLowerCase(),
    }));
    const field = form.querySelector("input");
    const lists = form.querySelectorAll("select");

    const show = () => {
        const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
        let count = 0;
        for (const each of rows) {
            const shown = words.every((word) => each.text.includes(word))
                && Array.from(lists).every((list) => !list.value
                    || each.row.dataset[list.name] === list.value);
            each.row.hidden = !shown;
            count += shown;
        }
        form.querySelector("output").textContent =
            `${count.toLocaleString("en")} of ${rows.length.toLocaleString("en")} rows`;
    };

    const sort = (heading) => {
        const column = heading.cellIndex;
        const turn = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
        for (const each of table.tHead.rows[0].cells) each.removeAttribute("aria-sort");
        heading.setAttribute("aria-sort", turn > 0 ? "ascending" : "descending");
        const key = (each) => each.row.cells[column].dataset.sort;
        rows.sort((a, b) => turn * (key(a) === undefined
            ? a.cells[column].localeCompare(b.cells[column], "en", {numeric: true})
            : key(a) - key(b)));
        body.append(...rows.map((each) => each.row));
    };

    form.addEventListener("input", show);
    form.addEventListener("submit", (event) => event.preventDefault());
    table.tHead.addEventListener("click", (event) => {
        const heading = event.target.closest("button")?.closest("th");
        if (heading) sort(heading);
    });
    form.elements.assumptions.value = "base";
    show();
    // A browser that comes back to the page fills in the form again.
    addEventListener("pageshow", show);
})();
