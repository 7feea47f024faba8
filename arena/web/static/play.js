// Adds clicks, taps and keys to the page's forms, which also work without scripts. The page lists the legal moves; no rules here.
"use strict";
(() => {
  const box = document.querySelector("[data-play]");
  if (!box) return;
  const find = (what, where = box) => [...where.querySelectorAll(what)];
  const hint = (text) => {
    const place = box.querySelector("[data-hint]");
    if (place) { place.textContent = text; place.hidden = !text; }
  };
  let moves = [], cards = [], picked = "", busy = false;

  // ------------------------------------------------------------ choices

  const possible = (stone) => moves.filter((one) => one.card === picked && (stone === undefined || one.stone === stone));

  function prepare() {
    picked = "";
    moves = find("[data-moves] button[name=move]").map((button) =>
      ({ button, card: button.closest("fieldset").dataset.of, stone: button.dataset.stone }));
    const held = new Set(moves.map((one) => one.card));
    const hinted = box.dataset.hinted, [hintedCard, hintedStone] = hinted.split("@");
    for (const one of find(".mine [data-card]")) one.classList.toggle("hinted", one.dataset.card === hintedCard);
    for (const one of find(".table .stone")) one.classList.toggle("hinted", one.parentElement.dataset.stone === (hintedStone || hinted.replace("claim ", "")));
    cards = find(".mine [data-card]").filter((one) => held.has(one.dataset.card)).map((one) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = one.className + " pick";
      button.setAttribute("aria-label", one.title);
      button.dataset.card = one.dataset.card;
      button.append(...one.childNodes);
      button.addEventListener("click", () => pick(picked === button.dataset.card ? "" : button.dataset.card));
      one.replaceWith(button);
      return button;
    });
    for (const one of find("[data-undo]")) one.addEventListener("click", () => pick(""));
    const keys = document.querySelector("[data-keys]");
    if (keys) keys.hidden = !moves.length;
    mark();
  }

  function pick(card) {
    picked = card;
    mark();
  }

  function mark(stone) {
    for (const one of cards) one.setAttribute("aria-pressed", String(one.dataset.card === picked));
    for (const one of find("[data-undo]")) one.hidden = !picked;
    const open = possible(stone);
    for (const one of moves) one.button.hidden = !open.includes(one) || (one.stone && stone === undefined); // it is on the board
    for (const column of find(".table > *")) {
      const sign = column.querySelector(".stone"), there = possible(column.dataset.stone);
      const why = document.getElementById("why-" + column.dataset.stone);
      sign.dataset.said ||= sign.ariaLabel;
      if (why) sign.dataset.tip = why.textContent;
      column.classList.toggle("can", there.length > 0);
      sign.ariaLabel = there.length === 1 ? there[0].button.ariaLabel : sign.dataset.said;
      sign.role = there.length ? "button" : "img";
      sign.tabIndex = there.length ? 0 : -1;
    }
    for (const one of find("fieldset[data-of]")) one.hidden = one.dataset.of !== picked || !one.querySelector("button:not([hidden])");
    if (!moves.length) return;
    const listed = open.some((one) => !one.button.hidden);
    if (stone !== undefined) hint("Choose one:");
    else if (open.some((one) => one.stone)) hint("Click a highlighted stone" + (listed ? ", or choose:" : "."));
    else hint(cards.length && !picked ? "Choose a card from your hand" + (listed ? ", or one of these:" : ".") : "");
  }

  function at(stone) {
    const there = possible(stone);
    if (there.length === 1) return send(there[0].button);
    if (there.length) {
      mark(stone);
      return there[0].button.focus();
    }
    const why = document.getElementById("why-" + stone);
    if (!why) return;
    why.closest("details").open = true;
    why.scrollIntoView({ block: "nearest" });
  }

  // ------------------------------------------------------------ asking the server

  const soon = () => new Promise((resolve) => setTimeout(resolve, 700)); // one change can be seen before the next
  async function show(answer, pause) {
    const text = await answer.text();
    await pause;
    const found = new DOMParser().parseFromString(text, "text/html").querySelector("[data-play]");
    if (!answer.ok || !found) return location.reload();
    const inside = box.contains(document.activeElement);
    const open = find("details").map((one) => one.open);
    Object.assign(box.dataset, { ...found.dataset });
    await boards.moving(box, () => {
      box.querySelector("[data-told]").replaceChildren(...found.querySelector("[data-told]").childNodes);
      box.querySelector("[data-table]").replaceWith(found.querySelector("[data-table]"));
      if (box.dataset.kind === "decision") find("details.why").forEach((one) => { one.open = Boolean(open[1]); });
      prepare();
    });
    if (inside) (cards[0] || find(".stone[role=button]")[0] || find("[data-moves] button:not([hidden])")[0] || find("a")[0] || box).focus();
    return follow();
  }

  async function send(button) {
    if (busy) return;
    busy = true;
    box.setAttribute("aria-busy", "true");
    const form = button.form, body = new URLSearchParams(new FormData(form));
    body.append(button.name, button.value);
    body.append("steps", "1");
    try {
      await show(await fetch(form.action, { method: "POST", body }));
    } catch {
      hint("The server does not answer. Try again.");
    } finally {
      busy = false;
      box.removeAttribute("aria-busy");
    }
  }

  // while the bot is to move, request what comes next; the server holds each request until there is something new
  async function follow() {
    if (box.dataset.kind !== "waits") return;
    try {
      const pause = soon();
      await show(await fetch(location.pathname + "?after=" + box.dataset.number), pause);
    } catch {
      setTimeout(follow, 2000);
    }
  }

  // ------------------------------------------------------------ input

  box.addEventListener("submit", (event) => {
    if (!event.submitter || !event.submitter.name || event.submitter.name === "again") return;
    event.preventDefault();
    send(event.submitter);
  });
  box.addEventListener("click", (event) => {
    const column = event.target.closest(".table > *");
    if (column) at(column.dataset.stone);
  });
  document.addEventListener("keydown", (event) => {
    const from = event.target;
    if (event.ctrlKey || event.altKey || event.metaKey || /^(SELECT|TEXTAREA|INPUT)$/.test(from.tagName)) return;
    if (event.key === "Escape" || event.key === "u") pick("");
    else if (event.key === "h" && moves.length) send(find("button[name=hint]")[0]);
    else if (/^[1-9]$/.test(event.key)) at(event.key);
    else if ((event.key === "Enter" || event.key === " ") && from.matches(".stone[role=button]")) at(from.parentElement.dataset.stone);
    else if (/^Arrow(Left|Right)$/.test(event.key) && cards.length) {
      const now = cards.indexOf(from), way = event.key === "ArrowRight" ? 1 : -1;
      cards[now < 0 ? 0 : (now + way + cards.length) % cards.length].focus();
    } else return;
    event.preventDefault();
  });

  prepare();
  follow();
})();
