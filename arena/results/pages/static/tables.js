// Tables that sort and filter, and figures that show when they are hovered or focused.
"use strict";
(() => {
  const figure = (text) => parseFloat(text.replace(/^[<>?\s]+/, "").replace(/^\+/, ""));

  function sort(table, at, head, wanted) {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const cells = rows.map((row) => row.cells[at].textContent.trim());
    const numeric = cells.every((text) => text === "" || text === "-" || text === "?" || !isNaN(figure(text)));
    let up = head.getAttribute("aria-sort") === (numeric ? "descending" : "none") || !head.hasAttribute("aria-sort") && !numeric;
    if (wanted !== undefined) up = wanted;
    const sign = up ? 1 : -1;
    const order = rows.map((row, i) => [row, cells[i], i]);
    order.sort((one, two) => {
      if (!numeric) return sign * one[1].localeCompare(two[1]) || one[2] - two[2];
      const a = figure(one[1]), b = figure(two[1]);
      if (isNaN(a) || isNaN(b)) return isNaN(a) - isNaN(b) || one[2] - two[2]; // what is not known stays below
      return sign * (a - b) || one[2] - two[2];
    });
    for (const other of table.tHead.querySelectorAll("th")) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    body.append(...order.map(([row]) => row));
  }

  function filter(table, kept) {
    const rows = [...table.tBodies[0].rows];
    if (rows.length < 12) return;
    const label = document.createElement("label");
    label.className = "filter";
    const input = document.createElement("input");
    input.type = "search";
    label.append("Show rows with ", input);
    table.parentElement.before(label);
    const apply = () => {
      const wanted = input.value.toLowerCase();
      for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
    };
    input.addEventListener("input", apply);
    if (kept) {
      input.value = kept;
      apply();
    }
  }

  let sortable = [], details = [];
  function prepare(kept) {
    sortable = [...document.querySelectorAll("table.sortable")];
    details = [...document.querySelectorAll("details")];
    sortable.forEach((table, i) => {
      [...table.tHead.rows[0].cells].forEach((head, at) => {
        const button = document.createElement("button");
        button.type = "button";
        button.append(...head.childNodes);
        head.append(button);
        button.addEventListener("click", () => sort(table, at, head));
      });
      filter(table, (kept.filters || [])[i]);
    });
    for (const [i, at, up] of kept.sorted || []) {
      const head = sortable[i] && sortable[i].tHead.rows[0].cells[at];
      if (head) sort(sortable[i], at, head, up);
    }
    for (const one of details) if ((kept.open || []).includes(name(one))) one.open = true;
  }

  // a page whose parts are renewed keeps its order and what was open
  const name = (one) => (one.closest("section[id]") || one).id + one.querySelector("summary").textContent;
  document.addEventListener("keep", (event) => {
    event.detail.sorted = sortable.flatMap((table, i) => [...table.tHead.rows[0].cells].flatMap((head, at) =>
      (head.hasAttribute("aria-sort") ? [[i, at, head.getAttribute("aria-sort") === "ascending"]] : [])));
    event.detail.filters = sortable.map((table) => {
      const label = table.parentElement.previousElementSibling;
      return label && label.matches(".filter") ? label.querySelector("input").value : "";
    });
    event.detail.open = details.filter((one) => one.open).map(name);
  });
  prepare({});
  document.addEventListener("renew", (event) => prepare(event.detail)); // parts of the page are new

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
    const mark = event.target.closest && event.target.closest("[data-tip]");
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
