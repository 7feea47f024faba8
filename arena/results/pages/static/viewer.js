// Plays through stored games. Nothing here knows the rules: each step says what it changed of the state.
"use strict";
(() => {
  const read = (id) => JSON.parse(document.getElementById("data-" + id).textContent);
  const verdicts = { blunder: "blunder", turning: "turning point" };
  const games = read("games");
  const place = document.querySelector("[data-viewer]");
  if (!place || !games.length) return;

  const { make, list, card, words, back, pile, moving } = boards;
  const who = (seat) => game.names[seat];

  // ------------------------------------------------------------ elements

  let game = games[0], at = 0, timer = 0;
  const button = (key, [sign, word], act) => {
    const made = make("button", "key", sign);
    made.type = "button";
    made.title = word;
    made.setAttribute("aria-label", word);
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
  const [paceLabel, paceSelect] = choice("Pace", [[1500, "slow"], [900, "medium"], [400, "fast"]]);
  paceSelect.value = 900;
  const [gameLabel, gameSelect] = choice("Game", games.map((one, i) => [i, title(one)]));
  const [handLabel, handSelect] = choice("Hands", Object.entries({
    both: "both", own: "of the player to move", only_a: "below", only_b: "above", hidden: "hidden",
  }));
  const slider = make("input");
  slider.type = "range";
  slider.min = 0;
  slider.setAttribute("aria-label", "Move");
  const told = make("div", "told");
  told.setAttribute("aria-live", "polite");
  const board = boards.empty();
  const hands = [make("div", "who"), make("div", "who")];
  const decks = make("div", "decks");
  const why = make("div", "why");
  const svg = (tag, values, ...inner) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(values)) made.setAttribute(key, value);
    made.append(...inner);
    return made;
  };
  const curve = svg("svg", { class: "curve", viewBox: "0 0 600 100", preserveAspectRatio: "none", role: "img" });
  const cursor = svg("line", { y1: 0, y2: 100, class: "now" });
  const judged = make("p", "judged"), signs = make("p", "small signs"), end = make("span");
  const log = make("ol", "log");
  log.tabIndex = 0;
  log.setAttribute("aria-label", "Moves");
  const link = make("a", "", "Link to this move");
  const keys = {
    first: () => go(0), back: () => go(at - 1), play: toggle, next: () => go(at + 1), last: () => go(game.steps.length - 1),
    claim_back: () => seek(-1, (one) => one.claims), claim: () => seek(1, (one) => one.claims),
    turn: () => seek(1, (one) => one.mark),
  };
  const names = {
    first: ["|◀", "First"], back: ["◀", "Back"], play: ["Play", "Play"], next: ["▶", "Next"], last: ["▶|", "Last"],
    claim_back: ["◀ claim", "Claim before"], claim: ["claim ▶", "Next claim"], turn: ["mark ▶", "Next turning point or blunder"],
  };
  const buttons = Object.fromEntries(Object.entries(names).map(([key, words]) => [key, button(key, words, keys[key])]));
  const missing = make("p", "");
  missing.setAttribute("role", "alert");
  const felt = make("div", "felt", hands[1], board, hands[0], decks);
  place.replaceChildren(
    ...(games.length > 1 ? [make("div", "row", gameLabel)] : []),
    missing,
    make("div", "sides",
      felt, told, log,
      make("div", "keys", ...["first", "back", "play", "next", "last"].map((key) => buttons[key]), make("div", "keys",
        buttons.claim_back, buttons.claim, buttons.turn)),
      make("div", "chances", judged, make("div", "small percents", ...["100%", "50%", "0%"].map((one) => make("span", "", one))),
        curve, slider, make("div", "small moves", make("span", "", "deal"), end), signs)),
    why,
    make("div", "row options", paceLabel, handLabel, link),
    make("details", "small", make("summary", "", "Keys"), make("p", "", "Keys: ← → one move, Home End first and last, "
      + "space plays, c and C next and previous claim, t next turning point or blunder, h hands, n and p next and previous game.")),
  );

  // ------------------------------------------------------------ moving

  function go(step, hold) {
    if (!hold) stop();
    at = Math.max(0, Math.min(step, game.steps.length - 1));
    moving(felt, draw);
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
    }, paceSelect.value);
  }
  function seek(way, wanted) { // the next step that is wanted, from the end again from the beginning
    const many = game.steps.length;
    for (let i = 1; i <= many; i++) {
      const step = (at + way * i + many) % many;
      if (wanted(game.steps[step])) return go(step);
    }
  }
  function claimOf(stone) {
    const step = game.steps.findIndex((one) => (one.claims || []).some((claim) => claim.stone === stone));
    if (step >= 0) go(step);
  }
  function open(other, step = 0) {
    game = other;
    gameSelect.value = games.indexOf(other);
    slider.max = game.steps.length - 1;
    end.textContent = "move " + (game.steps.length - 1);
    drawCurve();
    log.dataset.hands = "";
    buttons.claim.disabled = buttons.claim_back.disabled = !game.steps.some((one) => one.claims);
    buttons.turn.disabled = !game.steps.some((one) => one.mark);
    stop();
    at = Math.max(0, Math.min(step, game.steps.length - 1));
    draw();
  }
  // The judge's chance of a after each step, what each bot noted of its own (`value`), marks and claims; a click goes there.
  const across = (step) => (600 * step / Math.max(game.steps.length - 1, 1)).toFixed(1);
  const points = (part, key) => part.map((one) => across(one.number || 0) + "," + (100 - 100 * one[key]).toFixed(1)).join(" ");
  function drawCurve() {
    const steps = game.steps;
    const mark = (one, style, y1, y2, text) => {
      const x = across(steps.indexOf(one));
      return svg("line", { x1: x, x2: x, y1, y2, class: style }, svg("title", {}, text));
    };
    const height = (one) => 100 - 100 * one.chance;
    const marks = steps.filter((one) => one.mark).map((one) =>
      mark(one, one.mark, height(one) - 9, height(one) + 9, "Move " + one.number + ": " + verdicts[one.mark]));
    const claims = steps.flatMap((one) => (one.claims || []).map((claim) =>
      mark(one, "ab"[claim.seat], claim.seat ? 0 : 93, claim.seat ? 7 : 100, who(claim.seat) + " claims stone " + claim.stone)));
    const fault = game.forfeit ? [mark(steps[steps.length - 1], "fault", 0, 100, "forfeit")] : [];
    const line = points(steps, "chance");
    const own = [0, 1].map((seat) => steps.filter((one) => one.seat === seat && typeof one.value === "number")
      .map((one) => ({ ...one, own: seat ? 1 - one.value : one.value })));
    curve.setAttribute("aria-label", "Chance of " + who(0) + " to win after each move");
    curve.replaceChildren(
      svg("polygon", { points: "0,100 " + line + " 600,100" }), svg("line", { x1: 0, x2: 600, y1: 50, y2: 50, class: "half" }),
      svg("polyline", { points: line }),
      ...own.map((part, seat) => svg("polyline", { points: points(part, "own"), class: "own" + seat })), ...claims, ...fault, ...marks, cursor,
    );
    const sign = (style, text) => make("span", "", make("i", style), text);
    const there = (kind) => steps.some((one) => one.mark === kind);
    signs.replaceChildren(
      sign("line", "chance of " + who(0) + ", judged by " + game.judge),
      ...own.flatMap((part, seat) => (part.length ? [sign("line own" + seat, "as " + who(seat) + " saw it")] : [])), sign("a", "stone claimed by " + who(0)), sign("b", "by " + who(1)),
      ...(there("turning") ? [sign("turning", "turning point: the chance changed most")] : []),
      ...(there("blunder") ? [sign("blunder", "blunder: gave away 10% or more")] : []),
    );
  }
  function drawJudged(step) {
    const percent = (value) => (100 * value).toFixed(1) + "%";
    const parts = [make("b", "", percent(step.chance)), " chance of " + who(0) + " to win"];
    if (step.mark) parts.push(" · ", make("b", step.mark, verdicts[step.mark]));
    const best = (step.best || "").replace(/^([^ @]+)@(\d)$/, (_, code, stone) => words(code, game.edition) + " to stone " + stone);
    if (step.loss) parts.push(" · " + best + " was worth " + percent(step.loss) + " more");
    judged.replaceChildren(...parts);
    cursor.setAttribute("x1", across(at));
    cursor.setAttribute("x2", across(at));
  }
  curve.addEventListener("click", (event) => {
    const box = curve.getBoundingClientRect();
    go(Math.round((event.clientX - box.left) / box.width * (game.steps.length - 1)));
  });

  const turnTo = (way) => open(games[(games.indexOf(game) + way + games.length) % games.length]);

  // ------------------------------------------------------------ drawing

  const shown = (seat, state) => {
    const mode = handSelect.value;
    return mode === "both" || (mode === "own" && state.seat === seat) || (mode === "only_a" && seat === 0) || (mode === "only_b" && seat === 1);
  };

  function drawHand(seat, state) {
    const sign = "ab"[seat], held = list(state["h" + sign]), beside = list(state["d" + sign]);
    const won = state.own.split(sign).length - 1, one = (code) => card(code, game.edition);
    hands[seat].classList.toggle("turn", at < game.steps.length - 1 && state.seat === seat);
    hands[seat].replaceChildren(
      make("span", "name", game.names[seat], make("small", "", won + (won === 1 ? " stone" : " stones"))),
      make("span", "cards hand", ...held.map(shown(seat, state) ? one : (code) => back(boards.isClan(code) ? "clan" : "tactic"))),
      ...(beside.length ? [make("span", "cards aside", ...beside.map(one))] : []),
    );
  }

  // what followed a move: claims and draws; a draw to a hidden hand without its card
  const followed = (step) => {
    const hide = !shown(step.seat, { seat: step.seat }), drew = step.move.startsWith("draw ");
    return step.events.filter((one) => one !== step.move).map((one) => {
      const [, did, what] = /^(draws|returns) (\S+)$/.exec(one) || [];
      if (did) return hide ? (drew ? "" : ", " + did + " a card") : (drew ? ": " : ", " + did + " ") + words(what, game.edition);
      return ", " + one.replace(/^claim /, "claims stone ");
    }).join("");
  };
  const player = (step) => make("b", "player-" + "ab"[step.seat], who(step.seat));
  function tell(step) {
    const count = make("p", "small", "Move " + at + " of " + (game.steps.length - 1));
    if (!step.number) return [make("strong", "", "The deal. " + who(game.starter) + " begins."), count];
    const parts = [", turn " + step.turn, step.legal > 1 ? step.legal + " legal moves" : "the only legal move"];
    if (step.ms !== null) parts.push("after " + step.ms + " ms");
    count.append(parts.join(", "));
    const last = at === game.steps.length - 1 ? [make("p", "", make("b", "", game.result))] : [];
    return [
      player(step), " ", make("strong", "", step.words + " "), make("code", "", step.move),
      followed(step), ...(step.note ? [make("p", "small", "Its note: " + step.note)] : []), ...last, count,
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
    part("Complete sides at stones not claimed yet", waiting);
    if (at === game.steps.length - 1 && game.reason) parts.push(make("pre", "reason", game.reason));
    why.replaceChildren(...parts);
  }

  // the moves as a list; made anew only when the game or the hands change
  function drawLog() {
    const mode = game.key + " " + handSelect.value;
    if (log.dataset.hands !== mode) {
      log.dataset.hands = mode;
      log.replaceChildren(...game.steps.map((step, i) => {
        const line = make("li", step.claims ? "claim" : "");
        if (step.number) line.append(player(step), " " + step.words + followed(step));
        else line.append("The deal.");
        if (step.mark) line.append(" ", make("b", step.mark, verdicts[step.mark]));
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
    const all = boards.states(game), state = all[at], step = game.steps[at];
    told.replaceChildren(...tell(step));
    boards.fill(board, game, state, all[at - 1]);
    drawHand(1, state);
    drawHand(0, state);
    for (const one of felt.querySelectorAll("[data-tip]")) one.tabIndex = 0; // tells what a tactic card does
    const transit = state.pend ? [make("span", "small", "in transit"), card(state.pend, game.edition)] : [];
    const piles = [["clan", state.clan], ...(game.tactics ? [["tactic", state.tactic]] : [])];
    decks.replaceChildren(...transit, ...piles.map(([kind, count]) => pile(kind, count || 0)));
    drawLog();
    drawJudged(step);
    drawWhy(step, state);
    slider.value = at;
    slider.setAttribute("aria-valuetext", "Move " + at);
    buttons.first.disabled = buttons.back.disabled = at === 0;
    buttons.next.disabled = buttons.last.disabled = at === game.steps.length - 1;
    link.href = "#game=" + encodeURIComponent(game.key) + "&move=" + at;
    place.dataset.step = at;
    place.dataset.game = game.key;
  }

  // ------------------------------------------------------------ input

  gameSelect.addEventListener("change", () => open(games[gameSelect.value]));
  handSelect.addEventListener("change", draw);
  log.addEventListener("click", (event) => {
    const line = event.target.closest("li");
    if (line) go(Number(line.dataset.step));
  });
  slider.addEventListener("input", () => go(Number(slider.value)));
  document.addEventListener("keydown", (event) => {
    const from = event.target === document ? document.body : event.target;
    const typing = from.matches("select, textarea, input:not([type=range])");
    if (event.ctrlKey || event.altKey || event.metaKey || typing || from.closest("[data-marks]")) return;
    const near = {
      ArrowLeft: keys.back, ArrowRight: keys.next, c: keys.claim, C: keys.claim_back, t: keys.turn,
      n: () => turnTo(1), p: () => turnTo(-1),
      h: () => { handSelect.selectedIndex = (handSelect.selectedIndex + 1) % handSelect.options.length; draw(); },
    };
    if (games.length === 1 || place.contains(from)) { // elsewhere in a report these keys scroll
      Object.assign(near, { Home: keys.first, End: keys.last });
      if (!from.matches("button, a, summary")) near[" "] = toggle;
    }
    if (from === log) Object.assign(near, { ArrowUp: keys.back, ArrowDown: keys.next });
    const act = near[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  function follow() { // #move=12, among several games #game=3&move=12
    const asked = new URLSearchParams(location.hash.slice(1));
    const move = asked.get("move");
    if (!asked.has("game") && move === null) return false;
    const found = asked.has("game") ? games.find((one) => one.key === asked.get("game") || one.id === asked.get("game")) : game;
    if (!found) {
      missing.textContent = "Game " + asked.get("game").slice(0, 40) + " is not in this page.";
      return false;
    }
    missing.textContent = "";
    open(found, move === "last" ? found.steps.length - 1 : Number(move) || 0);
    if (games.length > 1) place.scrollIntoView();
    return true;
  }
  board.addEventListener("click", (event) => {
    const stone = event.target.closest(".stone.south, .stone.north");
    if (stone) claimOf(Number(stone.parentElement.dataset.stone));
  });
  addEventListener("hashchange", follow);
  if (!follow()) open(games[0]);
})();
