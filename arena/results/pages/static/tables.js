// Tables that sort, and figures that show when they are hovered or focused.
"use strict";
(() => {
  const figure = (text) => parseFloat(text.replace(/^[<>?\s]+/, "").replace(/^\+/, ""));

  function sort(table, at, head) {
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row, i) => [row, row.cells[at].textContent.trim(), i]);
    const numeric = rows.every(([, text]) => ["", "-", "?"].includes(text) || !isNaN(figure(text)));
    const up = head.ariaSort ? head.ariaSort === "descending" : !numeric;
    const sign = up ? 1 : -1;
    rows.sort((one, two) => {
      if (!numeric) return sign * one[1].localeCompare(two[1]) || one[2] - two[2];
      const a = figure(one[1]), b = figure(two[1]);
      if (isNaN(a) || isNaN(b)) return isNaN(a) - isNaN(b) || one[2] - two[2]; // what is not known stays below
      return sign * (a - b) || one[2] - two[2];
    });
    for (const other of table.tHead.querySelectorAll("th")) other.ariaSort = null;
    head.ariaSort = up ? "ascending" : "descending";
    body.append(...rows.map(([row]) => row));
  }

  function prepare() {
    for (const table of document.querySelectorAll("table.sortable")) {
      [...table.tHead.rows[0].cells].forEach((head, at) => {
        const button = document.createElement("button");
        button.type = "button";
        button.append(...head.childNodes);
        head.append(button);
        button.addEventListener("click", () => sort(table, at, head));
      });
    }
  }
  prepare();
  document.addEventListener("renew", prepare); // parts of the page are new

  // on paper all is open
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    for (const one of closed) one.open = true;
  });
  addEventListener("afterprint", () => { for (const one of closed) one.open = false; });

  // One mark of a plot or square is reached with the tabulator, the others from it with the arrows.
  document.addEventListener("keydown", (event) => {
    const group = event.target.closest("[data-marks]");
    const way = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!group || !way || event.target === group) return;
    const marks = [...group.querySelectorAll("[data-tip]")];
    const next = marks[marks.indexOf(event.target) + way];
    event.preventDefault();
    if (!next) return;
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });

  const tip = document.getElementById("tip");
  const show = (event) => {
    const of = (one) => one.closest && one.closest("[data-tip]");
    const mark = of(event.target) || of(document.activeElement);
    tip.hidden = !mark;
    if (!mark) return;
    tip.textContent = mark.dataset.tip;
    const box = mark.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(box.left, innerWidth - tip.offsetWidth - 8)) + "px";
    const above = box.top - tip.offsetHeight - 6;
    tip.style.top = (above > 0 ? above : Math.min(box.bottom + 6, innerHeight - tip.offsetHeight - 4)) + "px";
  };
  document.addEventListener("mouseover", show);
  document.addEventListener("focusin", show);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });
})();
