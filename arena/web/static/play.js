// A game against a bot. The server sends what can be seen and what can be chosen (arena/web/play_child.py); no rules here.
// One list drives everything: each of its keys becomes a button, lit, with its words as the label.
"use strict";
(() => {
  const box = document.querySelector("[data-play]");
  if (!box) return;
  const { make, list, card, words, effect, back, isClan, pile, empty, fill, canMove, turning } = boards;
  const find = (what, where = box) => where.querySelector(what), felt = find(".felt");
  const bot = box.dataset.bot.replace(/ v\d+$/, "");
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const capital = (text) => text[0].toUpperCase() + text.slice(1);
  const nothing = { kind: "waits", number: 0, names: ["You", bot], edition: "iello", tactics: true, state: { own: "........." },
    backs: [0, 0], why: {}, fresh: [], log: [], choices: {}, hint: [], dear: [] };

  let shown = nothing; // what lies on the table
  let path = []; // what has been clicked of the next line of moves
  let hinting = false, busy = false, big = false, trouble = "";
  let looked = 0, pointed = "", marked = []; // the stone whose worth is shown; the card whose effect is told; the last move's cards

  // ------------------------------------------------------------ choices

  const next = () => path.reduce((tree, key) => tree[key], shown.choices);
  const isChoosing = () => shown.kind === "decision" && !busy;
  function choices() { // what may be clicked now: key -> words
    const keys = isChoosing() ? Object.keys(next()) : [];
    const first = path.length === 1 && !keys.some((key) => key.startsWith("hand:")) ? Object.keys(shown.choices) : [];
    const can = Object.fromEntries([...first, ...keys, ...path.filter((key) => key.startsWith("hand:") && isChoosing())].map((key) => [key, label(key)]));
    if (path.length && isChoosing()) can.undo = "Put it back";
    return can;
  }
  function label(key) {
    const [what, x] = key.split(":"), [code, stone] = (x || "").split("@"), named = (one) => words(one, shown.edition);
    switch (what) {
      case "hand": return path.includes(key) ? "put " + named(x) + " back" : named(x);
      case "side": return "stone " + x + ", your side";
      case "stone": return (path.length ? named(path[0].slice(5)) + " on" : "claim") + " stone " + x;
      case "card": return named(code) + " at stone " + stone;
      case "deck": return "draw a " + x + " card";
      case "as": return named(x);
      case "discard": return "Discard it";
      case "pass": return "Pass";
      default: return shown.state.phase === "return" ? "Put them back" : "Claim nothing more";
    }
  }
  async function click(key) {
    if (key === "hint") hinting = true;
    else if (key === "undo") path.pop();
    else if (path.includes(key)) path = path.slice(0, path.indexOf(key));
    else if (next()[key] !== undefined) path.push(key);
    else path = [key];
    const chosen = next();
    if (typeof chosen === "number") return send({ number: shown.number, move: chosen });
    await turning(felt, paint);
  }

  // ------------------------------------------------------------ drawing

  let can = {};
  // what the list of choices knows by its key becomes a button
  function spot(key, one) {
    if (!one) return null;
    let made = one;
    if (can[key]) {
      made = make("button", one.className + " can", ...one.childNodes);
      made.type = "button";
      made.ariaLabel = can[key] + (key.startsWith("side:") ? "; now " + one.ariaLabel : "");
      made.style.cssText = one.style.cssText;
      Object.assign(made.dataset, one.dataset);
      one.replaceWith(made);
    }
    made.dataset.key = key;
    if (isHinted(key)) made.classList.add("hinted");
    return made;
  }
  const isHinted = (key) => hinting && shown.hint.includes(key) && (key === shown.hint[0] || path.every((one, i) => one === shown.hint[i]));
  const stones = (sign) => shown.state.own.split(sign).length - 1;
  function seat(number) {
    const sign = "ab"[number], won = stones(sign), moves = shown.kind !== "over" && shown.state.turn && shown.state.seat === number;
    const played = make("span", "cards aside", ...list(shown.state["d" + sign]).map((code) => card(code, shown.edition)));
    played.title = "played and discarded";
    return [make("div", "who" + (moves ? " turn" : ""), make("b", "name", number ? bot : "You"), make("small", "", won + (won === 1 ? " stone" : " stones"))), played];
  }
  function theirHand() {
    const held = make("div", "backs");
    if (shown.state.hb !== undefined) held.append(...list(shown.state.hb).map((code) => card(code, shown.edition)));
    else {
      for (const [kind, count] of shown.backs.entries()) {
        for (let i = 0; i < count; i++) {
          const one = back(kind ? "tactic" : "r1");
          one.dataset.back = "ct"[kind] + i;
          held.append(one);
        }
      }
      held.role = "img";
      held.ariaLabel = held.children.length + " cards in hand";
    }
    return held;
  }
  const inTheAir = () => (path.find((key) => key.startsWith("card:")) || ":").slice(5).split("@");
  const goesTo = (key) => path.length && /^(side|stone):/.test(key);
  function board() {
    const made = empty(), [code, from] = inTheAir();
    const theirs = !path.includes("hand:redeploy");
    fill(made, { names: ["you", bot], edition: shown.edition }, shown.state);
    for (const column of made.children) {
      const stone = column.dataset.stone, [north, sign, south] = column.children, side = theirs ? north : south;
      column.classList.toggle("looked", looked === Number(stone));
      for (const one of column.querySelectorAll("[data-card]")) if (marked.includes(one.dataset.card.split("=")[0])) one.classList.add("new");
      for (const key of Object.keys(can)) {
        const [printed, at] = key.slice(5).split("@");
        if (key.startsWith("card:") && at === stone) spot(key, [...side.children].find((one) => (one.dataset.card || "").split("=")[0] === printed));
      }
      if (from === stone) {
        const taken = [...side.children].find((one) => (one.dataset.card || "").split("=")[0] === code), left = make("span", "place");
        left.style.cssText = taken.style.cssText;
        taken.replaceWith(left);
      }
      if (can["side:" + stone]) {
        const there = south.querySelectorAll(".card, .place").length, first = south.querySelector(".place");
        const slot = first && !from ? first : make("span", "place");
        slot.style.setProperty("--i", first ? 0 : there);
        slot.append(card(code || path[0].slice(5), shown.edition));
        slot.firstChild.removeAttribute("data-card");
        if (slot !== first) south.append(slot);
      }
      spot("side:" + stone, south);
      spot("stone:" + stone, sign);
    }
    return made;
  }
  function hand() {
    const palette = Object.keys(can).filter((key) => key.startsWith("as:"));
    if (palette.length) { // what a wild becomes
      return palette.map((key) => {
        const code = key.slice(3), one = card(isClan(code) ? code : code + "0", shown.edition);
        if (!isClan(code)) one.firstChild.textContent = "";
        return [key, one];
      });
    }
    const order = (code) => (isClan(code) ? "rgbypk".indexOf(code[0]) * 10 + Number(code.slice(1)) : 99), [taken] = inTheAir();
    const drawn = shown.fresh.filter((one) => !one.by && one.kind === "draw").map((one) => one.card);
    return list(shown.state.ha).sort((a, b) => order(a) - order(b)).flatMap((code) => {
      const key = "hand:" + code, at = path.indexOf(key), returns = shown.state.phase === "return";
      const one = card(code, shown.edition, at < 0 ? (drawn.includes(code) ? "drawn" : "") : returns ? "returns" : "picked");
      if (at >= 0) one.dataset.order = at + 1;
      return [[key, one], ...(at >= 0 && taken ? [["", card(taken, shown.edition, "held")]] : [])];
    });
  }
  function acts() {
    const button = (key, text, may) => {
      const made = make("button", "key" + (can[key] ? " can" : ""), text);
      made.type = "button";
      made.dataset.key = key;
      made.disabled = !may;
      if (isHinted(key)) made.classList.add("hinted");
      return made;
    };
    const second = ["pass", "done"].find((key) => can[key]) || (shown.state.phase === "claim" ? "done" : shown.state.phase === "return" ? "done" : "undo");
    const keys = [...(can.discard ? ["discard"] : []), second];
    return [button("hint", "Hint", isChoosing() && shown.hint.length), ...keys.map((key) => button(key, key === "undo" ? "Put it back" : label(key), can[key]))];
  }

  function paint() {
    can = choices();
    const focused = felt.contains(document.activeElement) && document.activeElement.dataset.key;
    const inside = felt.contains(document.activeElement), over = shown.kind === "over" || shown.kind === "failed";
    Object.assign(box.dataset, { kind: shown.kind, turn: shown.state.turn ? shown.state.seat : "", phase: shown.state.phase || "" });
    box.toggleAttribute("data-taking", Object.keys(can).some((key) => key.startsWith("card:")));
    const [who, played] = seat(1);
    find(".they").replaceChildren(who, theirHand(), played);
    find(".me").replaceChildren(...seat(0));
    find(".table").replaceWith(board());
    find(".piles").replaceChildren(...(shown.tactics ? ["clan", "tactic"] : ["clan"]).map((kind) => pile(kind, shown.state.turn ? shown.state[kind] || 0 : "")));
    for (const one of [...find(".piles").children]) spot("deck:" + one.classList[1], one);
    const held = hand(), place = find(".hand");
    place.replaceChildren(...held.map(([, one]) => one));
    for (const [key, one] of held) {
      const made = key ? spot(key, one) : one;
      if (key && made.type === "button") made.ariaPressed = String(path.includes(key));
    }
    place.style.setProperty("--n", Math.max(held.length, 7));
    place.hidden = over;
    find(".acts").replaceChildren(...(over ? [] : acts()));
    find(".end").hidden = !over;
    find(".result").textContent = big ? "" : outcome();
    find("[data-replay]").hidden = !shown.record;
    find(".word").hidden = !big;
    find(".word").textContent = outcome();
    find("[data-resign]").hidden = over;
    tell();
    drawWorth();
    drawPast();
    if (!inside) return;
    // all is drawn anew: the focus goes to the same thing again, else to what is lit, and through the bot's turn it stays here
    const to = find(`.can[data-key="${focused}"]`) || find(".hand .can") || find(".felt .can") || find(".end .first:not([hidden] *)") || felt;
    to.focus({ preventScroll: true });
  }
  const outcome = () => ((/You win|You lose|A draw/.exec(shown.result) || [shown.kind === "over" ? "You resign" : ""])[0].replace("You lose", bot + " wins"));

  // ------------------------------------------------------------ words

  // two lines: what to do, and what that does or what happened; they fit a phone
  function tell() {
    const [title, detail] = says();
    find("[data-title]").textContent = title;
    find("[data-detail]").textContent = trouble || (pointed && effect(pointed, shown.edition)) || detail;
  }
  function latest() { // what was done last, without draws
    const by = shown.log.length ? shown.log[shown.log.length - 1][0] : 0, did = [];
    for (const [who, text, kind] of [...shown.log].reverse()) {
      if (who !== by || did.length > 2) break;
      if (kind !== "draw" && kind !== "no claim") did.unshift(text);
    }
    return did.length ? (by ? bot : "You") + ": " + did.join(", ") : "";
  }
  function hinted(key) { // what a hint says, in words
    const [what, x] = key.split(":"), named = /^(hand|card|as)$/.test(what) && words(x.split("@")[0], shown.edition);
    return named || (/^(side|stone)$/.test(what) ? "stone " + x : label(key));
  }
  const ASKS = { traitor: "take one of their cards", deserter: "discard one of their cards", redeploy: "take one of yours", scout: "draw from a deck", fog: "pick a stone", mud: "pick a stone" };
  function says() {
    const tip = hinting && shown.hint.length ? "Hint: " + shown.hint.filter((key) => !path.includes(key)).map(hinted).join(", ") : "";
    const last = latest(), picked = path.length ? path[0].slice(5) : "";
    if (shown.kind === "failed") return [shown.text || bot + " could not be started, so there is no game.", last];
    if (shown.kind === "over") return [shown.result, last];
    if (!shown.state.turn) return ["The cards are dealt", ""];
    if (!isChoosing()) return [shown.state.seat ? bot + " is thinking …" : last || "…", shown.state.seat ? last : ""];
    if (Object.keys(can).some((key) => key.startsWith("as:"))) return [capital(words(picked, shown.edition)) + ": which card is it?", "It stays what you choose."];
    const [taken] = inTheAir();
    if (taken) return [capital(words(taken, shown.edition)) + ": now put it on your side", tip || effect(picked, shown.edition)];
    switch (shown.state.phase) {
      case "claim": return ["Claim a stone, or nothing more", tip || last];
      case "draw": return ["Draw: click a deck", tip || "C: clan cards, T: tactic cards"];
      case "scout": return ["Draw another card: click a deck", tip || "C: clan cards, T: tactic cards"];
      case "return": return [can.done ? "These go back" : "Put back: pick a card", tip || "Face down on their decks; the last one lies on top."];
    }
    if (picked) return [capital(words(picked, shown.edition)) + ": " + (ASKS[picked] || "pick a place"), tip || effect(picked, shown.edition) || "Click a lit place, or type its number."];
    return [can.pass ? "You have no move but to pass" : "Your turn: pick a card", tip || last];
  }
  function drawWorth() {
    const [title, ...lines] = (shown.why[looked] || "Stone worth\nPoint at a stone: here stands what each side has and can still become.").replaceAll(box.dataset.bot, bot).split("\n");
    // codes of cards become small cards
    const line = (text) => make("p", "", ...text.split(/(\*(?:J|[78]|123)|\b[rgbypk](?:10|\d)\b)/).map((part, i) => (i % 2 ? card(part, shown.edition) : part)));
    const part = find(".worth");
    part.replaceChildren(make("h2", "", title.replace(/\.$/, "").replace(/\b(fog|mud)\b/g, (code) => words(code, shown.edition))), ...lines.map(line));
    for (const one of part.querySelectorAll("[data-card]")) one.removeAttribute("data-card"); // they do not move
  }
  function drawPast() {
    find(".past ol").replaceChildren(...shown.log.map(([who, text]) => make("li", "", make("b", who ? "north" : "south", who ? bot : "You"), " " + text)).reverse());
    const dear = find("[data-dear]");
    dear.hidden = !shown.dear.length;
    find("ol", dear).replaceChildren(...shown.dear.map((one) => {
      const again = make("button", "key", "Try again from here");
      Object.assign(again, { type: "submit", name: "again", value: one.number });
      return make("li", "", `Turn ${one.turn}: ${one.said}; ${one.best} was worth ${one.percent} % more. `, again);
    }));
    find(".reason").hidden = !shown.detail;
    find(".reason").textContent = shown.detail || "";
  }

  // ------------------------------------------------------------ what the server sends

  // A move is shown in steps, fast, one after the other: the card, the claim, the draw.
  async function show(message) {
    const before = shown, drew = (by) => message.fresh.filter((one) => one.kind === "draw" && one.by === by);
    const now = { ...nothing, ...message, state: message.state || nothing.state };
    const acts = now.fresh.filter((one) => one.kind !== "draw"), placed = acts.find((one) => one.stone && one.card);
    if (now.kind === "waits" && before.number && !now.fresh.length) { // our own move is on its way
      shown = { ...before, kind: "waits", number: now.number };
      return;
    }
    if (placed) looked = placed.stone;
    if (acts.length) marked = acts.filter((one) => one.stone && one.card).map((one) => one.card);
    hinting = false;
    if (!canMove() || !before.number && now.log.length) {
      [shown, path] = [now, []];
      return paint();
    }
    if (!before.state.turn && now.state.turn) return deal(now);
    if (acts.some((one) => one.by)) await pause(200);
    const state = { ...now.state, own: before.state.own, won: "" }, backs = [...now.backs], drawn = new Set(drew(0).map((one) => one.card));
    state.ha = list(state.ha).filter((code) => !drawn.has(code)).join(" ");
    for (const one of [...drew(0), ...drew(1)]) state[one.deck] = (state[one.deck] || 0) + 1;
    for (const one of drew(1)) backs[one.deck === "clan" ? 0 : 1] -= 1;
    const gone = [...before.backs], pairs = [];
    for (const one of acts) { // the bot's cards come from its backs, what is put back goes to its deck
      const clan = one.card && isClan(one.card) ? 0 : 1, code = one.card ? `[data-card^="${one.card}"]` : "";
      if (one.kind === "return") pairs.push([one.by ? `[data-back="${one.deck[0]}${(gone[one.deck === "clan" ? 0 : 1] -= 1)}"]` : ".hand " + code, `.pile.${one.deck} .card`]);
      else if (one.kind === "mode") pairs.push([one.by ? `[data-back="t${(gone[1] -= 1)}"]` : ".hand " + code, `[data-stone="${one.stone}"] .symbol:last-child`]);
      else if ((one.kind === "place" || one.kind === "ruse") && one.by && !find(".table " + code)) pairs.push([`[data-back="${"ct"[clan]}${(gone[clan] -= 1)}"]`, code]);
    }
    const step = async (change, pairs) => turning(felt, () => { shown = { ...now, kind: "waits", choices: {}, ...change }; path = []; paint(); }, pairs);
    if (acts.length) await step({ state, backs }, pairs);
    if (now.state.own !== before.state.own && now.kind !== "over") await step({ state: { ...state, own: now.state.own }, backs });
    big = now.kind === "over";
    const from = [
      ...drew(0).map((one) => [`.pile.${one.deck} .card`, `.hand [data-card="${one.card}"]`]),
      ...drew(1).map((one) => [`.pile.${one.deck} .card`, `[data-back="${one.deck[0]}${now.backs[one.deck === "clan" ? 0 : 1] - 1}"]`]),
    ];
    await turning(felt, () => { [shown, path] = [now, []]; paint(); }, from);
    if (!big) return;
    await pause(2600);
    big = false;
    await turning(felt, paint);
  }
  // All cards lie on the deck, each under its own name, and go to their places one after the other.
  async function deal(now) {
    shown = { ...now, kind: "waits", state: { ...nothing.state, clan: now.state.clan, tactic: now.state.tactic }, backs: [0, 0], log: [] };
    paint();
    const hands = [".hand", ".backs"].map((part, by) => list(now.state.ha).map((_, i) => `${part} > :nth-child(${i + 1})`));
    const order = hands[0].flatMap((one, i) => [one, hands[1][i]]);
    for (let i = 0; i < order.length; i++) {
      const one = back("r1");
      one.dataset.deal = i;
      find(".pile.clan").append(one);
    }
    await pause(300);
    await turning(felt, () => { shown = now; paint(); }, order.map((to, i) => [`[data-deal="${i}"]`, to]));
  }

  async function ask(query, body) {
    const answer = await fetch(location.pathname + query, body && { method: "POST", body: new URLSearchParams(body) });
    if (!answer.ok) return location.reload();
    const messages = await answer.json();
    trouble = "";
    for (const one of messages) if (one.number > shown.number) await show(one);
  }
  async function send(body) {
    if (busy) return;
    busy = true;
    paint();
    try {
      await ask("", body);
    } catch {
      trouble = "The server does not answer. Try again.";
      path.pop();
    }
    busy = false;
    paint();
    follow();
  }
  let following = false;
  async function follow() { // while the bot is to move; the server holds each request until there is something new
    if (following) return;
    following = true;
    while (shown.kind === "waits") {
      try {
        await ask("?after=" + shown.number);
      } catch {
        trouble = "The server does not answer.";
        tell();
        await pause(2000);
      }
    }
    following = false;
  }

  // ------------------------------------------------------------ clicks, keys, pointing

  function near({ target }) { // what is pointed at is told: the worth of a stone, the effect of a card
    const stone = Number(target.closest("[data-stone]")?.dataset.stone), code = target.closest("[data-card]")?.dataset.card || "";
    if (stone && stone !== looked) {
      looked = stone;
      for (const one of find(".table").children) one.classList.toggle("looked", Number(one.dataset.stone) === stone);
      drawWorth();
    }
    if (code === pointed) return;
    pointed = code;
    tell();
  }
  let pressed = 0, isLong = false; // a long press tells what a card does and picks nothing
  felt.addEventListener("click", ({ target }) => {
    const own = target.closest("[data-key]:enabled")?.dataset.key, stone = target.closest("[data-stone]")?.dataset.stone;
    // a thumb is broad: the whole column stands for its place or its stone
    const key = [own, "side:" + stone, "stone:" + stone].find((one) => one === "hint" || can[one]);
    pointed = "";
    if (key && !isLong) click(key);
    isLong = false;
  });
  felt.addEventListener("pointerover", near);
  felt.addEventListener("focusin", near);
  felt.addEventListener("pointerdown", (event) => {
    near(event);
    isLong = false;
    pressed = setTimeout(() => { isLong = event.pointerType === "touch"; }, 450);
  });
  for (const type of ["pointerup", "pointercancel", "pointerleave"]) felt.addEventListener(type, () => clearTimeout(pressed));
  find("[data-resign] button").addEventListener("click", () => send({ number: shown.number, resign: 1 }));

  // arrows go to the nearest lit thing in their direction
  function toward([dx, dy]) {
    const middle = (one) => { const at = one.getBoundingClientRect(); return [at.x + at.width / 2, at.y + at.height / 2]; };
    const from = document.activeElement.closest(".felt [data-key]") || find(".hand"), [x, y] = middle(from);
    const far = (one) => {
      const [to, down] = middle(one), along = (to - x) * dx + (down - y) * dy, aside = Math.abs((to - x) * dy) + Math.abs((down - y) * dx);
      return along > 4 ? along + 2 * aside : Infinity;
    };
    const to = [...felt.querySelectorAll(".can, .acts :enabled")].sort((a, b) => far(a) - far(b))[0];
    if (to && far(to) < Infinity) to.focus();
    else if (from === find(".hand")) find(".felt .can")?.focus();
  }
  const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.altKey || event.metaKey || target.closest?.(".past")) return;
    const meant = { Escape: "undo", u: "undo", c: "deck:clan", t: "deck:tactic" }[key];
    if (ARROWS[key]) toward(ARROWS[key]);
    else if (can[meant]) click(meant);
    else if (key === "h" && isChoosing()) click("hint");
    else if (/^[1-9]$/.test(key)) {
      const there = ["side:" + key, "stone:" + key].find((one) => can[one]);
      if (there) click(there);
      else near({ target: find(`[data-stone="${key}"]`) });
    } else return;
    event.preventDefault();
  });

  paint();
  const first = JSON.parse(document.getElementById("data-table").textContent);
  (async () => {
    if (first) await show(first);
    follow();
  })();
})();
