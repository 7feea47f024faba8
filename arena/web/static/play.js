// A game against a bot. The server sends what can be seen and what can be chosen (arena/web/play_child.py); no rules here.
// One list drives everything: each of its keys becomes a button, lit, with its words as the label.
"use strict";
(() => {
  const box = document.querySelector("[data-play]");
  if (!box) return;
  const { make, list, card, words, effect, back, isClan, pile, empty, fill, canMove, moving, rest } = boards;
  const find = (what) => box.querySelector(what), felt = find(".felt");
  const bot = box.dataset.bot.replace(/ v\d+$/, "");
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const capital = (text) => text[0].toUpperCase() + text.slice(1);
  const nothing = {
    kind: "waits", number: 0, edition: "iello", tactics: true,
    state: { own: "........." }, backs: { clan: 0, tactic: 0 }, why: {}, fresh: [], log: [],
    choices: {}, hint: [], costly: [],
  };

  let shown = nothing; // what lies on the table
  let path = []; // what has been clicked of the next line of moves
  let hinting = false, busy = false, trouble = "";
  let looked = 0, pointed = ""; // the stone whose worth is shown; the card whose effect is told
  let marked = []; // the cards of the last move

  // ------------------------------------------------------------ choices

  const next = () => path.reduce((tree, key) => tree[key], shown.choices);
  const isChoosing = () => shown.kind === "decision" && !busy;
  const named = (code) => words(code, shown.edition), does = (code) => effect(code, shown.edition);
  const face = (code, style) => card(code, shown.edition, style);
  const isOf = (kind) => (key) => key.startsWith(kind + ":");
  function choices() { // what may be clicked now: key -> words
    if (!isChoosing()) return {};
    const keys = Object.keys(next());
    const others = path.length === 1 && !keys.some(isOf("hand")) ? Object.keys(shown.choices) : [];
    const all = [...others, ...keys, ...path.filter(isOf("hand"))];
    const found = Object.fromEntries(all.map((key) => [key, label(key)]));
    if (path.length) found.undo = label("undo");
    return found;
  }
  function label(key) {
    const [what, x] = key.split(":"), [code, stone] = (x || "").split("@");
    switch (what) {
      case "hand": return path.includes(key) ? "put " + named(x) + " back" : named(x);
      case "side": return "stone " + x + ", your side";
      case "stone": return (path.length ? named(path[0].slice(5)) + " on" : "claim") + " stone " + x;
      case "card": return named(code) + " at stone " + stone;
      case "deck": return "draw a " + x + " card";
      case "as": return named(x);
      case "done": return shown.state.phase === "return" ? "Put them back" : "Claim nothing more";
      default: return { hint: "Hint", undo: "Put it back", discard: "Discard it", pass: "Pass" }[key];
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
    await moving(felt, paint);
  }

  // ------------------------------------------------------------ drawing

  let can = {};
  const isHinted = (key) => hinting && shown.hint.includes(key)
    && (key === shown.hint[0] || path.every((one, i) => one === shown.hint[i]));
  // what the list of choices knows by its key becomes a button
  function spot(key, one) {
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
  function seat(number) {
    const sign = "ab"[number], won = shown.state.own.split(sign).length - 1;
    const moves = shown.kind !== "over" && shown.state.turn && shown.state.seat === number;
    const played = make("span", "cards aside", ...list(shown.state["d" + sign]).map((code) => face(code)));
    played.title = "played and discarded";
    const count = make("small", "", won + (won === 1 ? " stone" : " stones"));
    const name = make("b", "name", number ? bot : "You");
    return [make("div", moves ? "who turn" : "who", name, count), played];
  }
  function theirHand() {
    const held = make("div", "backs");
    if (shown.state.hb !== undefined) held.append(...list(shown.state.hb).map((code) => face(code)));
    else {
      for (const [deck, count] of Object.entries(shown.backs)) {
        for (let i = 0; i < count; i++) {
          const one = back(deck);
          one.dataset.back = deck + i;
          held.append(one);
        }
      }
      held.role = "img";
      held.ariaLabel = held.children.length + " cards in hand";
    }
    return held;
  }
  const inTheAir = () => (path.find((key) => key.startsWith("card:")) || ":").slice(5).split("@");
  const printed = (one) => (one.dataset.card || "").split("=")[0];
  function board() {
    const made = empty(), [code, from] = inTheAir();
    fill(made, { names: ["you", bot], edition: shown.edition }, shown.state);
    for (const column of made.children) {
      const stone = column.dataset.stone, [north, sign, south] = column.children;
      const side = path.includes("hand:redeploy") ? south : north; // from which a ruse takes cards
      column.classList.toggle("looked", looked === Number(stone));
      for (const one of column.querySelectorAll("[data-card]")) {
        one.classList.toggle("new", marked.includes(printed(one)));
      }
      for (const one of [...side.children]) {
        const key = "card:" + printed(one) + "@" + stone;
        if (can[key]) spot(key, one);
        if (from === stone && printed(one) === code) {
          const left = make("span", "place");
          left.style.cssText = one.style.cssText;
          one.replaceWith(left);
        }
      }
      if (can["side:" + stone]) { // seen while one points at the place: how the card will lie
        let slot = south.querySelector(".place");
        if (!slot) {
          slot = make("span", "place");
          slot.style.setProperty("--i", south.querySelectorAll(".card").length);
          south.append(slot);
        }
        slot.append(face(code || path[0].slice(5)));
        slot.firstChild.removeAttribute("data-card");
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
        const code = key.slice(3), one = face(isClan(code) ? code : code + "0");
        if (!isClan(code)) one.firstChild.textContent = "";
        return [key, one];
      });
    }
    const order = (code) => (isClan(code) ? "rgbypk".indexOf(code[0]) * 10 + Number(code.slice(1)) : 99);
    const [taken] = inTheAir();
    const drawn = shown.fresh.filter((one) => !one.by && one.kind === "draw").map((one) => one.card);
    return list(shown.state.ha).sort((a, b) => order(a) - order(b)).flatMap((code) => {
      const key = "hand:" + code, at = path.indexOf(key), returns = shown.state.phase === "return";
      const one = face(code, at < 0 ? (drawn.includes(code) ? "drawn" : "") : returns ? "returns" : "picked");
      if (at >= 0) one.dataset.order = at + 1;
      return [[key, one], ...(at >= 0 && taken ? [["", face(taken, "held")]] : [])];
    });
  }
  function acts() { // two buttons in fixed places; what cannot be done is pale, not gone
    const second = can.pass ? "pass" : /claim|return/.test(shown.state.phase) ? "done" : "undo";
    return ["hint", ...(can.discard ? ["discard"] : []), second].map((key) => {
      const made = make("button", "key" + (can[key] ? " can" : ""), label(key));
      made.type = "button";
      made.dataset.key = key;
      made.disabled = !(key === "hint" ? isChoosing() && shown.hint.length : can[key]);
      made.classList.toggle("hinted", isHinted(key));
      return made;
    });
  }

  function paint() {
    can = choices();
    const focused = document.activeElement.dataset.key, inside = felt.contains(document.activeElement);
    const over = shown.kind === "over" || shown.kind === "failed", [who, played] = seat(1);
    Object.assign(box.dataset, { kind: shown.kind, phase: shown.state.phase || "" });
    box.toggleAttribute("data-taking", Object.keys(can).some(isOf("card")));
    find(".they").replaceChildren(who, theirHand(), played);
    find(".me").replaceChildren(...seat(0));
    find(".table").replaceWith(board());
    const decks = shown.tactics ? ["clan", "tactic"] : ["clan"];
    const count = (deck) => (shown.state.turn ? shown.state[deck] || 0 : "");
    find(".piles").replaceChildren(...decks.map((deck) => pile(deck, count(deck))));
    for (const deck of decks) spot("deck:" + deck, find(".pile." + deck));
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
    find(".result").textContent = outcome();
    find("[data-replay]").hidden = !shown.record;
    find("[data-resign]").hidden = over;
    tell();
    drawWorth();
    drawPast();
    if (!inside) return;
    // all is drawn anew: the focus goes to the same thing again, else to what is lit; through the bot's turn it stays here
    const ways = [`.can[data-key="${focused}"]`, ".hand .can", ".felt .can", ".end:not([hidden]) .first"];
    (ways.map((way) => find(way)).find(Boolean) || felt).focus({ preventScroll: true });
  }
  function outcome() {
    const [words] = /You win|You lose|A draw/.exec(shown.result) || [shown.kind === "over" ? "You resign" : ""];
    return words.replace("You lose", bot + " wins");
  }

  // ------------------------------------------------------------ words

  // two lines: what to do, and what that does or what happened; they fit a phone
  function tell() {
    const [title, detail] = says();
    find("[data-title]").textContent = title;
    find("[data-detail]").textContent = trouble || (pointed && does(pointed)) || detail;
  }
  function latest() { // what was done last, without draws
    const by = shown.log.length ? shown.log[shown.log.length - 1][0] : 0, did = [];
    for (const [who, text, kind] of [...shown.log].reverse()) {
      if (who !== by || did.length > 2) break;
      if (kind !== "draw" && kind !== "no claim") did.unshift(text);
    }
    return did.length ? (by ? bot : "You") + ": " + did.join(", ") : "";
  }
  const ASKS = {
    traitor: "take one of their cards", deserter: "discard one of their cards", redeploy: "take one of yours",
    scout: "draw from a deck", fog: "pick a stone", mud: "pick a stone",
  };
  function says() {
    const last = latest(), { phase, seat: mover } = shown.state;
    if (shown.kind === "failed") {
      return [shown.text || bot + " could not be started, so there is no game.", last];
    }
    if (shown.kind === "over") return [shown.result, last];
    if (!shown.state.turn) return ["The cards are dealt", ""];
    if (!isChoosing()) return mover ? [bot + " is thinking …", last] : [last || "…", ""];
    const hint = hinting && "Hint: " + shown.hint.filter((key) => !path.includes(key)).map(label).join(", ");
    const picked = path.length ? path[0].slice(5) : "", [taken] = inTheAir(), told = picked && does(picked);
    const about = (code, ask) => capital(named(code)) + ": " + ask;
    if (phase === "return") {
      return [can.done ? "These go back" : "Put back: pick a card", hint || "Face down; the last one lies on top."];
    }
    if (Object.keys(can).some(isOf("as"))) {
      return [about(picked, "which card is it?"), hint || "It stays what you choose."];
    }
    if (taken) return [about(taken, "now put it on your side"), hint || told];
    if (picked) {
      const ask = ASKS[picked] || "pick a place";
      return [about(picked, ask), hint || told || "Click a lit place, or type its number."];
    }
    if (can["deck:clan"] || can["deck:tactic"]) {
      return ["Draw a card: click a deck", hint || "C: clan cards, T: tactic cards"];
    }
    if (phase === "claim") return ["Claim a stone, or nothing more", hint || last];
    return [can.pass ? "You have no move but to pass" : "Your turn: pick a card", hint || last];
  }
  function drawWorth() {
    const text = shown.why[looked]
      || "Stone worth\nPoint at a stone: here stands what each side has and can still become.";
    const [title, ...lines] = text.replaceAll(box.dataset.bot, bot).split("\n"), part = find(".worth");
    // codes of cards become small cards
    const code = /(\*(?:J|[78]|123)|\b[rgbypk](?:10|\d)\b)/;
    const pieces = (line) => line.split(code).map((one, i) => (i % 2 ? face(one) : one));
    const [, stone, first] = /^(Stone \d(?: \([a-z ]+\))?) (?:is )?(.*)/.exec(title) || [];
    if (stone) lines.unshift(capital(first));
    const head = (stone || title).replace(/\b(fog|mud)\b/g, named);
    part.replaceChildren(make("h2", "", head), ...lines.map((line) => make("p", "", ...pieces(line))));
    for (const one of part.querySelectorAll("[data-card]")) one.removeAttribute("data-card"); // they do not move
  }
  function drawPast() {
    const line = ([who, text]) => {
      const by = who ? make("b", "north", bot) : make("b", "south", "You");
      return make("li", "", by, " " + text);
    };
    find(".past ol").replaceChildren(...shown.log.map(line).reverse());
    const costly = find("[data-costly]");
    costly.hidden = !shown.costly.length;
    find("[data-costly] ol").replaceChildren(...shown.costly.map((one) => {
      const again = make("button", "key", "Try again from here");
      Object.assign(again, { type: "submit", name: "again", value: one.number });
      const cost = `${one.best} was worth ${one.percent} % more. `;
      return make("li", "", `Turn ${one.turn}: ${one.said}; `, cost, again);
    }));
    find(".reason").hidden = !shown.detail;
    find(".reason").textContent = shown.detail || "";
  }

  // ------------------------------------------------------------ what the server sends

  // A move is shown in steps, fast, one after the other: the card, the claim, the draw.
  async function show(message) {
    const before = shown, now = { ...nothing, ...message, state: message.state || nothing.state };
    const drawn = now.fresh.filter((one) => one.kind === "draw");
    const acts = now.fresh.filter((one) => one.kind !== "draw");
    if (now.state.turn && !before.state.turn) { // all hands are dealt from the deck
      drawn.push(...list(now.state.ha).map((code) => ({ by: 0, card: code, deck: "clan" })));
      drawn.push(...Array(now.backs.clan).fill({ by: 1, deck: "clan" }));
    }
    const placed = acts.filter((one) => one.stone && one.card);
    if (now.kind === "waits" && before.number && !now.fresh.length) { // our own move is on its way
      shown = { ...before, kind: "waits", number: now.number };
      return;
    }
    if (placed.length) looked = placed[0].stone;
    if (acts.length) marked = placed.map((one) => one.card);
    hinting = false;
    if (!canMove() || (!before.number && now.log.length)) {
      [shown, path] = [now, []];
      return paint();
    }
    if (acts.some((one) => one.by)) await pause(300);
    const state = { ...now.state, own: before.state.own, won: "" }, backs = { ...now.backs };
    const ours = drawn.filter((one) => !one.by).map((one) => one.card);
    state.ha = list(state.ha).filter((code) => !ours.includes(code)).join(" ");
    for (const one of drawn) {
      state[one.deck] = (state[one.deck] || 0) + 1;
      backs[one.deck] -= one.by;
    }
    // the bot's cards come from its backs, what is put back goes to its deck
    const place = (backs) => (one, deck) => {
      if (!one.by) return `.hand [data-card="${one.card}"]`;
      backs[deck] -= 1;
      return `[data-back="${deck}${backs[deck]}"]`;
    };
    const from = place({ ...before.backs }), to = place({ ...now.backs }), pairs = [];
    for (const one of acts) {
      const there = `[data-card^="${one.card}"]`, deck = isClan(one.card || "") ? "clan" : "tactic";
      if (one.kind === "return") pairs.push([from(one, one.deck), `.pile.${one.deck} .back`]);
      else if (one.kind === "mode") pairs.push([from(one, "tactic"), `[data-stone="${one.stone}"] .symbol:last-child`]);
      else if (one.by && /place|ruse/.test(one.kind) && !find(".table " + there)) pairs.push([from(one, deck), there]);
    }
    const steps = acts.length ? [[{ state, backs }, pairs]] : [];
    if (now.state.own !== before.state.own) {
      steps.push([{ state: { ...state, own: now.state.own }, backs }, []]);
    }
    const draws = drawn.map((one) => [`.pile.${one.deck} .back`, to(one, one.deck)]);
    if (draws.length || !steps.length) steps.push([{}, draws]);
    for (const [i, [change, pairs]] of steps.entries()) {
      await moving(felt, () => {
        shown = i === steps.length - 1 ? now : { ...now, kind: "waits", choices: {}, ...change };
        path = [];
        paint();
      }, pairs);
    }
  }
  let received = 0, showing = Promise.resolve(); // one message is shown after the other

  async function ask(query, body) {
    const answer = await fetch(location.pathname + query, body && { method: "POST", body: new URLSearchParams(body) });
    if (!answer.ok) return location.reload();
    trouble = "";
    for (const one of await answer.json()) {
      if (one.number <= received) continue;
      received = one.number;
      showing = showing.then(() => show(one));
    }
    return showing;
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
        await ask("?after=" + received);
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
    const stone = Number(target.closest("[data-stone]")?.dataset.stone);
    const code = target.closest("[data-card]")?.dataset.card || "";
    if (stone && stone !== looked) {
      looked = stone;
      for (const one of find(".table").children) {
        one.classList.toggle("looked", Number(one.dataset.stone) === stone);
      }
      drawWorth();
    }
    if (code === pointed) return;
    pointed = code;
    tell();
  }
  let pressed = 0;
  felt.addEventListener("click", ({ target, pointerType, timeStamp }) => {
    const own = target.closest("[data-key]:enabled")?.dataset.key;
    const { stone } = target.closest("[data-stone]")?.dataset || {};
    // a thumb is broad: the whole column stands for its place or its stone
    const key = [own, "side:" + stone, "stone:" + stone].find((one) => one === "hint" || can[one]);
    if (pointerType === "touch" && timeStamp - pressed > 450) return; // a long press tells what a card does and picks nothing
    pointed = "";
    if (key) click(key);
  });
  document.addEventListener("click", async ({ target, clientX, clientY }) => { // while cards move, clicks reach none of them
    if (target !== document.documentElement) return;
    await rest();
    const meant = document.elementFromPoint(clientX, clientY);
    if (felt.contains(meant)) meant.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  });
  felt.addEventListener("pointerover", near);
  felt.addEventListener("focusin", near);
  felt.addEventListener("pointerdown", (event) => {
    near(event);
    pressed = event.timeStamp;
  });
  find("[data-resign] button").addEventListener("click", () => send({ number: shown.number, resign: 1 }));

  // arrows go to the nearest lit thing in their direction
  function toward([dx, dy]) {
    const middle = (one) => {
      const at = one.getBoundingClientRect();
      return [at.x + at.width / 2, at.y + at.height / 2];
    };
    const from = document.activeElement.closest(".felt [data-key]") || find(".hand"), [x, y] = middle(from);
    const far = (one) => {
      const [right, down] = middle(one).map((at, i) => at - [x, y][i]), along = right * dx + down * dy;
      return along > 4 ? along + 2 * Math.abs(right * dy + down * dx) : Infinity;
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
  if (first) {
    received = first.number;
    showing = show(first);
  }
  showing.then(follow);
})();
