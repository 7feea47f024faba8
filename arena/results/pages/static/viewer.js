// Plays through stored games. Nothing here knows the rules: each step says what it changed of the state.
"use strict";
(() => {
  const read = (id) => JSON.parse(document.getElementById("data-" + id).textContent);
  const colours = { r: "red", g: "green", b: "blue", y: "yellow", p: "purple", k: "pink" };
  const owners = { a: "claimed by a", b: "claimed by b", ".": "not claimed" };
  const verdicts = { blunder: "blunder", turning: "turning point" };
  const games = read("games");
  const place = document.querySelector("[data-viewer]");
  if (!place || !games.length) return;

  const make = (tag, style, ...inner) => {
    const made = document.createElement(tag);
    if (style) made.className = style;
    made.append(...inner);
    return made;
  };
  const who = (seat) => game.names[seat] + " (" + "ab"[seat] + ")";

  // ------------------------------------------------------------ states

  const known = new Map();
  function states(game) {
    if (!known.has(game.key)) {
      let state = {};
      known.set(game.key, game.steps.map((step) => {
        state = { ...state, ...step.set };
        for (const key of Object.keys(state)) if (state[key] === null) delete state[key];
        return state;
      }));
    }
    return known.get(game.key);
  }

  // ------------------------------------------------------------ elements

  let game = games[0], at = 0, timer = 0;
  const button = (key, word, act) => {
    const made = make("button", "key", word);
    made.type = "button";
    made.dataset.act = key;
    made.addEventListener("click", act);
    return made;
  };
  const choice = (word, values) => {
    const select = make("select");
    for (const [value, text] of values) select.append(new Option(text, value));
    return [make("label", "", word + " ", select), select];
  };
  const title = (one) => one.key + ": " + one.names[one.starter] + " – " + one.names[1 - one.starter] + (one.forfeit ? " (" + one.forfeit + ")" : "");
  const [gameLabel, gameSelect] = choice("Game", games.map((one, i) => [i, title(one)]));
  const [handLabel, handSelect] = choice("Hands", Object.entries({
    both: "both", own: "of the player to move", only_a: "of a", only_b: "of b", hidden: "hidden",
  }));
  const slider = make("input");
  slider.type = "range";
  slider.min = 0;
  slider.setAttribute("aria-label", "Step");
  const told = make("div", "told");
  told.setAttribute("aria-live", "polite");
  const board = make("table", "board");
  const hands = [make("div", "hand"), make("div", "hand")];
  const decks = make("p", "decks");
  const why = make("div", "why");
  const svg = (tag, values) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(values)) made.setAttribute(key, value);
    return made;
  };
  const strip = svg("svg", { class: "strip", viewBox: "0 0 600 10", preserveAspectRatio: "none", "aria-hidden": "true" });
  const curve = svg("svg", { class: "curve", viewBox: "0 0 600 100", preserveAspectRatio: "none", role: "img" });
  const cursor = svg("line", { y1: 0, y2: 100, class: "now" });
  const judged = make("p", "small judged");
  const log = make("ol", "log");
  log.tabIndex = 0;
  log.setAttribute("aria-label", "Moves");
  const link = make("a", "", "Link to this moment");
  const keys = {
    first: () => go(0), back: () => go(at - 1), play: toggle, next: () => go(at + 1), last: () => go(game.steps.length - 1),
    claim_back: () => claim(-1), claim: () => claim(1), forfeit: forfeit,
  };
  const names = {
    first: "First", back: "Back", play: "Play", next: "Next", last: "Last",
    claim_back: "Claim before", claim: "Next claim", forfeit: "Forfeit",
  };
  const buttons = Object.fromEntries(Object.entries(names).map(([key, word]) => [key, button(key, word, keys[key])]));
  const legend = make("p", "small"), missing = make("p", "");
  missing.setAttribute("role", "alert");
  const [paceLabel, paceSelect] = choice("Pace", [[1400, "slow"], [700, "medium"], [250, "fast"]]);
  paceSelect.value = 700;
  place.append(
    make("div", "row", ...(games.length > 1 ? [gameLabel] : []), handLabel, paceLabel),
    missing,
    make("div", "sides",
      make("div", "main", told, make("div", "felt", hands[1], board, hands[0]), decks,
        make("div", "row", ...Object.values(buttons)), make("div", "track", strip, slider), judged, curve),
      log),
    why, make("p", "small", link, ". Keys: ← → one step, Home End first and last, space plays, c and C next and previous claim, "
      + "f forfeit, h hands, n and p next and previous game."), legend,
  );

  // ------------------------------------------------------------ moving

  function go(step, hold) {
    if (!hold) stop();
    at = Math.max(0, Math.min(step, game.steps.length - 1));
    draw();
  }
  function stop() {
    clearInterval(timer);
    timer = 0;
    delete place.dataset.playing;
    buttons.play.textContent = "Play";
  }
  function toggle() {
    if (timer) return stop();
    if (at === game.steps.length - 1) go(0);
    buttons.play.textContent = "Stop";
    place.dataset.playing = "";
    timer = setInterval(() => {
      if (at >= game.steps.length - 1) stop();
      else go(at + 1, true);
    }, Number(paceSelect.value));
  }
  function claim(way) {
    for (let step = at + way; step >= 0 && step < game.steps.length; step += way) {
      if (game.steps[step].claims) return go(step);
    }
  }
  function claimOf(stone) {
    const step = game.steps.findIndex((one) => (one.claims || []).some((claim) => claim.stone === stone));
    if (step >= 0) go(step);
  }
  function forfeit() {
    if (game.forfeit) return go(game.steps.length - 1);
    const from = games.indexOf(game);
    for (let i = 1; i <= games.length; i++) {
      const other = games[(from + i) % games.length];
      if (other.forfeit) {
        open(other, other.steps.length - 1);
        return;
      }
    }
  }
  function open(other, step) {
    game = other;
    gameSelect.value = games.indexOf(other);
    slider.max = game.steps.length - 1;
    legend.textContent = game.legend;
    drawCurve();
    drawStrip();
    log.dataset.hands = "";
    buttons.forfeit.disabled = !games.some((one) => one.forfeit);
    buttons.claim.disabled = buttons.claim_back.disabled = !game.steps.some((one) => one.claims);
    go(step);
  }
  // what an analysis adds: the chance of a after each step, and marks; a click goes there
  const across = (step) => 600 * step / Math.max(game.steps.length - 1, 1);
  function drawCurve() {
    const there = game.steps.every((one) => one.chance !== undefined);
    curve.toggleAttribute("hidden", !there);
    judged.hidden = !there;
    if (!there) return;
    const height = (one) => 100 - 100 * one.chance;
    const points = game.steps.map((one, step) => across(step).toFixed(1) + "," + height(one).toFixed(1));
    const marks = game.steps.flatMap((one, step) => {
      if (!one.mark) return [];
      const mark = svg("line", { x1: across(step), x2: across(step), y1: height(one) - 8, y2: height(one) + 8, class: one.mark });
      mark.append(svg("title", {}));
      mark.firstChild.textContent = "Step " + step + ": " + verdicts[one.mark];
      return [mark];
    });
    curve.setAttribute("aria-label", "Chance of " + who(0) + " to win after each step");
    curve.replaceChildren(
      svg("line", { x1: 0, x2: 600, y1: 50, y2: 50, class: "half" }),
      svg("polyline", { points: points.join(" ") }), ...marks, cursor,
    );
  }
  function drawJudged(step) {
    if (step.chance === undefined) return;
    const percent = (value) => (100 * value).toFixed(1);
    const parts = ["Chance of " + who(0) + " to win, judged by " + game.judge + ": " + percent(step.chance) + "%"];
    if (step.loss) parts.push(step.best + " was worth " + percent(step.loss) + "% more");
    if (step.mark) parts.push(verdicts[step.mark]);
    judged.textContent = parts.join("; ") + ".";
    cursor.setAttribute("x1", across(at));
    cursor.setAttribute("x2", across(at));
  }
  for (const one of [curve, strip]) {
    one.addEventListener("click", (event) => {
      const box = one.getBoundingClientRect();
      go(Math.round((event.clientX - box.left) / box.width * (game.steps.length - 1)));
    });
  }
  // where stones are claimed, by whom, and where the game is forfeited
  function drawStrip() {
    const mark = (step, style) => svg("line", { x1: across(step), x2: across(step), y1: 0, y2: 10, class: style });
    const claims = game.steps.flatMap((one, step) => (one.claims || []).map((claim) => mark(step, "ab"[claim.seat])));
    strip.replaceChildren(...claims, ...(game.forfeit ? [mark(game.steps.length - 1, "fault")] : []));
  }

  const turnTo = (way) => open(games[(games.indexOf(game) + way + games.length) % games.length], 0);

  // ------------------------------------------------------------ drawing

  const colour = (card) => (/^[rgbypk]\d+$/.test(card) ? card[0] : "t");
  function card(text, fresh) {
    const suit = colour(text);
    const made = make("span", "card c-" + suit + (fresh ? " new" : ""));
    if (suit === "t") made.append(text);
    else {
      made.append(make("i", "", text[0]), make("b", "", text.slice(1)));
      made.title = colours[suit] + " " + text.slice(1);
    }
    return made;
  }
  const list = (text) => (text ? text.split(" ") : []);
  const shown = (seat, state) => {
    const mode = handSelect.value;
    return mode === "both" || (mode === "own" && state.seat === seat) || (mode === "only_a" && seat === 0) || (mode === "only_b" && seat === 1);
  };

  function drawBoard(state, before) {
    const head = make("tr"), rows = [make("tr"), make("tr"), make("tr")];
    for (let stone = 1; stone <= 9; stone++) {
      const owner = state.own[stone - 1];
      const cells = ["b", "a"].map((seat) => {
        const cards = list(state[seat + stone]);
        const old = new Set(list(before && before[seat + stone]));
        if (seat === "b") cards.reverse();
        const cell = make("td", seat === "b" ? "up" : "down", ...cards.map((one) => card(one, before && !old.has(one))));
        const worth = state["v" + seat + stone];
        if (worth) cell.title = worth;
        cell.setAttribute("aria-label", seat + ", stone " + stone + ": " + (cards.join(" ") || "empty") + (worth ? ", " + worth : ""));
        return cell;
      });
      const modes = list(state["m" + stone]);
      const sign = owner === "." ? stone : stone + " " + (owner === "a" ? "▼a" : "▲b");
      const middle = make("th", "", make("div", "stone " + (owner === "." ? "none" : owner), String(sign), ...modes.map((one) => make("div", "", one))));
      if (owner !== ".") middle.addEventListener("click", () => claimOf(stone));
      middle.scope = "col";
      middle.setAttribute("aria-label", "stone " + stone + ", " + owners[owner] + (modes.length ? ", " + modes.join(", ") : ""));
      rows[0].append(cells[0]);
      rows[1].append(middle);
      rows[2].append(cells[1]);
    }
    board.replaceChildren(head, ...rows);
    board.setAttribute("aria-label", "stones");
  }

  function drawHand(seat, state) {
    const sign = "ab"[seat];
    const cards = list(state["h" + sign]);
    const row = list(state["d" + sign]);
    const who = make("b", "", make("span", "seat " + sign, sign), " " + game.names[seat]);
    const won = state.own.split(sign).length - 1;
    const open_ = shown(seat, state);
    hands[seat].classList.toggle("moves", at < game.steps.length - 1 && state.seat === seat);
    hands[seat].replaceChildren(
      who, " ", make("span", "small", "stones won: " + won + ", hand (" + cards.length + ") "),
      ...cards.map((one) => (open_ ? card(one) : make("span", "card c-x", "?"))),
      ...(row.length ? [make("span", "small", " beside the board "), ...row.map((one) => card(one))] : []),
    );
  }

  const said = (step) => {
    const hide = !shown(step.seat, { seat: step.seat });
    return step.events.map((one) => (hide && /^(draws|returns) \S+$/.test(one) ? "draws a card" : one)).join(", ");
  };
  function tell(step, state) {
    if (!step.n) return [make("strong", "", "The deal."), " " + who(game.starter) + " begins."];
    const parts = [step.of > 1 ? "1 of " + step.of + " moves" : "no choice"];
    if (step.ms !== null) parts.push(step.ms + " ms");
    return [
      make("strong", "", make("span", "seat " + "ab"[step.seat], "ab"[step.seat]), " " + game.names[step.seat] + ": " + said(step)),
      " (" + parts.join(", ") + ") ",
      make("span", "small", "Step " + at + " of " + (game.steps.length - 1) + ", turn " + step.turn),
    ];
  }

  function drawWhy(step, state) {
    const parts = [];
    const part = (head, lines) => lines.length && parts.push(make("b", "", head), make("ul", "", ...lines.map((one) => make("li", "", one))));
    part("Why claims hold", (step.claims || []).map((one) => who(one.seat) + " claims stone " + one.stone + ": " + one.why + "."));
    const waiting = [];
    for (let stone = 1; stone <= 9; stone++) {
      for (const seat of [0, 1]) {
        const said = state["w" + "ab"[seat] + stone];
        if (said) waiting.push("Stone " + stone + ", " + who(seat) + ", " + state["v" + "ab"[seat] + stone] + ": " + said + ".");
      }
    }
    part("Complete sides that cannot claim yet", waiting);
    if (at === game.steps.length - 1) {
      parts.push(make("p", "", make("b", "", "Result: "), game.result));
      if (game.reason) parts.push(make("pre", "reason", game.reason));
    }
    why.replaceChildren(...parts);
  }

  // the moves as a list; made anew only when the game or the hands change
  function drawLog() {
    const mode = game.key + " " + handSelect.value;
    if (log.dataset.hands !== mode) {
      log.dataset.hands = mode;
      log.replaceChildren(...game.steps.map((step, i) => {
        const line = make("li", step.claims ? "claim" : "");
        if (step.n) line.append(make("span", "seat " + "ab"[step.seat], "ab"[step.seat]), " " + said(step));
        else line.append("The deal.");
        line.dataset.step = i;
        return line;
      }));
    }
    const old = log.querySelector("[aria-current]"), now = log.children[at];
    if (old) old.removeAttribute("aria-current");
    now.setAttribute("aria-current", "step");
    log.scrollTop = now.offsetTop - log.clientHeight / 2;
  }

  function draw() {
    const all = states(game), state = all[at], step = game.steps[at];
    told.replaceChildren(...tell(step, state));
    drawBoard(state, all[at - 1]);
    drawHand(1, state);
    drawHand(0, state);
    const parts = ["clan deck: " + state.clan];
    if (game.tactics) parts.push("tactic deck: " + state.tactic);
    if (state.pend) parts.push("in transit: " + state.pend);
    decks.textContent = parts.join(", ");
    drawLog();
    drawJudged(step);
    drawWhy(step, state);
    slider.value = at;
    slider.setAttribute("aria-valuetext", "Step " + at);
    buttons.first.disabled = buttons.back.disabled = at === 0;
    buttons.next.disabled = buttons.last.disabled = at === game.steps.length - 1;
    link.href = "#game=" + encodeURIComponent(game.key) + "&step=" + at;
    place.dataset.step = at;
    place.dataset.game = game.key;
  }

  // ------------------------------------------------------------ input

  gameSelect.addEventListener("change", () => open(games[gameSelect.value], 0));
  handSelect.addEventListener("change", draw);
  paceSelect.addEventListener("change", () => { if (timer) { stop(); toggle(); } });
  log.addEventListener("click", (event) => {
    const line = event.target.closest("li");
    if (line) go(Number(line.dataset.step));
  });
  slider.addEventListener("input", () => go(Number(slider.value)));
  document.addEventListener("keydown", (event) => {
    const from = event.target;
    if (event.ctrlKey || event.altKey || event.metaKey || /^(SELECT|TEXTAREA|INPUT)$/.test(from.tagName)) return;
    const inside = place.contains(from);
    if (!inside && from !== document.body) return;
    const near = {
      ArrowLeft: keys.back, ArrowRight: keys.next, c: keys.claim, C: keys.claim_back, f: forfeit,
      n: () => turnTo(1), p: () => turnTo(-1),
      h: () => { handSelect.selectedIndex = (handSelect.selectedIndex + 1) % handSelect.options.length; draw(); },
    };
    if (inside) Object.assign(near, { Home: keys.first, End: keys.last });
    if (from === log) Object.assign(near, { ArrowUp: keys.back, ArrowDown: keys.next });
    if (inside && from.tagName !== "BUTTON" && from.tagName !== "A") near[" "] = toggle;
    const act = near[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  function follow() {
    const asked = new URLSearchParams(location.hash.slice(1));
    if (!asked.has("game")) return false;
    const found = games.find((one) => one.key === asked.get("game") || one.id === asked.get("game"));
    if (!found) {
      missing.textContent = "Game " + asked.get("game").slice(0, 40) + " is not in this page.";
      return false;
    }
    missing.textContent = "";
    open(found, asked.get("step") === "last" ? found.steps.length : Number(asked.get("step")) || 0);
    place.scrollIntoView();
    return true;
  }
  addEventListener("hashchange", follow);
  if (!follow()) open(games[0], games.length > 1 ? games[0].steps.length : 0); // among many: how it ended
})();
