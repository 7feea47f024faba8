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
    cards = find("[data-card]").filter((one) => held.has(one.dataset.card)).map((one) => {
      const button = document.createElement("button"), drawn = one.firstElementChild;
      button.type = "button";
      button.className = drawn.className + " pick";
      button.setAttribute("aria-label", drawn.title);
      button.dataset.card = one.dataset.card;
      button.append(...drawn.childNodes);
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
    for (const one of find("fieldset[data-of]")) one.hidden = one.dataset.of !== picked;
    const open = possible(stone);
    for (const one of moves) one.button.hidden = !open.includes(one);
    for (const sign of find("[data-mark]")) {
      const there = possible(sign.parentElement.dataset.stone);
      const column = find(`[data-stone="${sign.parentElement.dataset.stone}"]:not(button)`);
      for (const cell of column) cell.classList.toggle("can", there.length > 0);
      if (there.length) {
        sign.tabIndex = 0;
        sign.setAttribute("role", "button");
        sign.setAttribute("aria-label", there.length === 1 ? there[0].button.getAttribute("aria-label") : "stone " + sign.parentElement.dataset.stone);
      } else for (const name of ["tabindex", "role", "aria-label"]) sign.removeAttribute(name);
    }
    if (!moves.length) return;
    if (stone !== undefined) hint("Choose one:");
    else if (picked) hint(open.some((one) => one.stone) ? "Click a highlighted stone, or choose:" : "");
    else hint(cards.length ? "Choose a card from your hand" + (open.length ? ", or one of these:" : ".") : "");
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

  async function show(answer) {
    const text = await answer.text();
    const found = new DOMParser().parseFromString(text, "text/html").querySelector("[data-play]");
    if (!answer.ok || !found) return location.reload();
    const inside = box.contains(document.activeElement);
    const open = find("details").map((one) => one.open);
    Object.assign(box.dataset, { ...found.dataset });
    box.querySelector("[data-told]").replaceChildren(...found.querySelector("[data-told]").childNodes);
    box.querySelector("[data-table]").replaceWith(found.querySelector("[data-table]"));
    if (box.dataset.kind === "decision") find("details.why").forEach((one) => { one.open = Boolean(open[1]); });
    prepare();
    if (inside) (cards[0] || find("[data-mark][role]")[0] || find("[data-moves] button:not([hidden])")[0] || find("a")[0] || box).focus();
    return follow();
  }

  async function send(button) {
    if (busy) return;
    busy = true;
    box.setAttribute("aria-busy", "true");
    const form = button.form, body = new URLSearchParams(new FormData(form));
    body.append(button.name, button.value);
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
      await show(await fetch(location.pathname + "?after=" + box.dataset.number));
    } catch {
      setTimeout(follow, 2000);
    }
  }

  // ------------------------------------------------------------ input

  box.addEventListener("submit", (event) => {
    if (!event.submitter || !event.submitter.name) return;
    event.preventDefault();
    send(event.submitter);
  });
  box.addEventListener("click", (event) => {
    const place = event.target.closest("[data-stone]:not(button)");
    if (place) at(place.dataset.stone);
  });
  document.addEventListener("keydown", (event) => {
    const from = event.target;
    if (event.ctrlKey || event.altKey || event.metaKey || /^(SELECT|TEXTAREA|INPUT)$/.test(from.tagName)) return;
    if (event.key === "Escape" || event.key === "u") pick("");
    else if (event.key === "h" && moves.length) send(find("button[name=hint]")[0]);
    else if (/^[1-9]$/.test(event.key)) at(event.key);
    else if ((event.key === "Enter" || event.key === " ") && from.hasAttribute("data-mark")) at(from.parentElement.dataset.stone);
    else if (/^Arrow(Left|Right)$/.test(event.key) && cards.length) {
      const now = cards.indexOf(from), way = event.key === "ArrowRight" ? 1 : -1;
      cards[now < 0 ? 0 : (now + way + cards.length) % cards.length].focus();
    } else return;
    event.preventDefault();
  });

  prepare();
  follow();
})();
