// Draws cards, stones and boards from the states of arena/results/pages/game_data.py, seat a below, and moves them: for the viewer,
// games against bots, live boards and lessons. What a page marks with data-board or data-face is drawn as it loads.
"use strict";
const boards = (() => {
  const make = (tag, style, ...inner) => {
    const made = document.createElement(tag);
    if (style) made.className = style;
    made.append(...inner);
    return made;
  };
  const list = (text) => (text ? text.split(" ") : []);

  // ------------------------------------------------------------ cards

  const COLOURS = { r: "red", g: "green", b: "blue", y: "yellow", p: "purple", k: "pink" };
  // The symbols are 48 units wide: what has the class f is filled, h is a hole, and the rest are lines. `figure` stands in
  // the corner.
  const TACTICS = {
    "*J": {
      kind: "troop", figure: "1–9", does: "any colour and value; one for each player",
      art: `<path class="f" d="M10 32C10 20 6 18 3 19 5 9 14 9 18 18 19 11 21 7 24 5c3 2 5 6 6 14 4-10 13-9 15 1C41 18 38 20 38 32z"/>
        <path class="f" d="M10 36h28v6H10z"/>`,
    },
    "*7": {
      kind: "troop", figure: "7", does: "value 7 in any colour",
      art: `<path d="M3 25S11 12 24 12s21 13 21 13S37 38 24 38 3 25 3 25z"/>
        <circle class="f" cx="24" cy="25" r="8"/>
        <circle class="h" cx="27" cy="22" r="2"/>`,
    },
    "*123": {
      kind: "troop", figure: "1–3", does: "a 1, 2 or 3 of any colour",
      art: `<path class="f" d="M24 3 41 9V24c0 10-8 17-17 21C15 41 7 34 7 24V9z"/>
        <path class="h" d="M22 10h4v10h8v4h-8v14h-4v-14H14v-4h8z"/>`,
    },
    fog: {
      kind: "mode", figure: "Σ", does: "at this stone only the sum counts",
      art: [14, 26, 38].map((y) => `<path d="M3 ${y}c6-6 10-6 16 0s10 6 16 0c4-4 6-4 10-2"/>`).join(""),
    },
    mud: {
      kind: "mode", figure: "4", does: "at this stone four cards make a side",
      art: `<ellipse class="f" cx="24" cy="36" rx="21" ry="8"/>
        <path class="f" d="M17 19a4 4 0 0 1-9 0C8 16 12 10 12 10s5 6 5 9z"/>
        <path class="f" d="M30 12a5 5 0 0 1-10 0C20 9 25 2 25 2S30 9 30 12z"/>
        <path class="f" d="M41 21a4 4 0 0 1-7 0C34 19 37 14 37 14s4 5 4 7z"/>`,
    },
    scout: {
      kind: "ruse", figure: "+3", does: "draw three cards, then put two back",
      art: `<path class="f" d="M9 19C20 18 28 15 35 8v32c-7-7-15-10-26-11z"/>
        <path d="M4 17v14M14 30l3 11h6L20 31M41 17c3 4 3 10 0 14"/>`,
    },
    redeploy: {
      kind: "ruse", figure: "", does: "move one card of yours, or discard it",
      art: `<path class="f" d="M29 21h14v22h-14z"/>
        <path stroke-dasharray="4 3" d="M5 21h14v22h-14z"/>
        <path d="M12 15c4-10 19-10 24 0M37 6l-1 9-8-3"/>`,
    },
    deserter: {
      kind: "ruse", figure: "", does: "discard one of their cards",
      art: `<path class="f" d="M9 44V21a15 17 0 0 1 30 0V44L34 40l-5 4L24 40l-5 4L14 40z"/>
        <circle class="h" cx="18" cy="19" r="3"/>
        <circle class="h" cx="30" cy="19" r="3"/>
        <ellipse class="h" cx="24" cy="29" rx="3" ry="5"/>`,
    },
    traitor: {
      kind: "ruse", figure: "", does: "one of their clan cards joins your side",
      art: `<path d="M7 7c11 4 23 4 34 0V24c0 11-8 18-17 21C15 42 7 35 7 24z"/>
        <path class="f" d="M24 10c-6 0-11-1-17-3V24c0 11 8 18 17 21z"/>
        <path class="h" d="M12 18c3-3 6-3 9 1-3 2-6 2-9-1z"/>
        <path class="f" d="M36 18c-3-3-6-3-9 1 3 2 6 2 9-1z"/>
        <path d="M25 35c3 0 6-1 7-4"/>`,
    },
  };
  // As in arena/game/cards.py; a bar breaks a name that is too long for one line of its card.
  const NAMES = {
    iello: "Joker, Spy, Shield-|Bearer, Blind-Man's |Bluff, Mud |Fight, Recruiter, Strategist, Banshee, Traitor",
    "ps-2004": "Leider, Hulp|troepen, Schild|dragers, Mist, Modder, Verkenner, Her|groeperen, Deserteur, Overloper",
    "battle-line": "Leader, Companion |Cavalry, Shield |Bearers, Fog, Mud, Scout, Redeploy, Deserter, Traitor",
  };
  const kindOf = (code) => (code === "*8" ? "*7" : code);
  function nameOf(code, edition) {
    const names = (NAMES[edition] || NAMES.iello).split(", ");
    return names[Object.keys(TACTICS).indexOf(kindOf(code))];
  }
  function words(code, edition) { // a card by its name, such as `Joker as red 7`
    const [printed, bound] = code.split("=");
    const isTactic = TACTICS[kindOf(printed)];
    const name = isTactic ? nameOf(printed, edition).replace("|", "") : COLOURS[printed[0]] + " " + printed.slice(1);
    return bound ? name + " as " + words(bound, edition) : name;
  }
  function effect(code, edition) { // a tactic card's name and what it does; "" for clan cards
    const printed = code.split("=")[0], tactic = TACTICS[kindOf(printed)];
    return tactic ? words(code, edition) + ": " + tactic.does.replace("7", printed[1]) : "";
  }
  function drawing(style, width, height, inner) {
    const made = make("i", style);
    made.innerHTML = `<svg viewBox="0 0 ${width} ${height}" aria-hidden="true">${inner}</svg>`;
    return made;
  }
  const symbol = (code) => drawing("symbol", 48, 48, TACTICS[kindOf(code)].art);
  function title(name) { // as a drawing: it grows with the card, and a long word is set narrower, never broken
    const lines = name.split("|");
    const line = (one, i) => {
      const narrow = one.length > 7 ? 'textLength="96" lengthAdjust="spacingAndGlyphs"' : "";
      return `<text x="50" y="${(lines.length > 1 ? 20 : 33) + 23 * i}" ${narrow}>${one.trim()}</text>`;
    };
    return drawing("title", 100, 50, lines.map(line).join(""));
  }
  function card(code, edition, style = "") {
    const [printed, bound] = code.split("="), tactic = TACTICS[kindOf(printed)], suit = bound || (!tactic && printed);
    const figure = suit ? suit.slice(1) : tactic.figure.replace("7", printed[1]);
    const look = suit ? "c-" + suit[0] : "tac " + tactic.kind;
    const made = make("span", `card ${look} ${style}`, make("b", figure.length > 2 ? "long" : "", figure));
    if (tactic) made.append(symbol(printed), ...(suit ? [] : [title(nameOf(printed, edition))]));
    made.dataset.card = code;
    made.role = "img";
    made.ariaLabel = words(code, edition);
    if (tactic) made.dataset.tip = effect(code, edition);
    else made.title = made.ariaLabel;
    return made;
  }
  const isClan = (code) => /^[rgbypk]\d+$/.test(code);
  function back(deck) {
    const made = make("span", "card back" + (deck === "tactic" ? " tactic" : ""));
    made.ariaHidden = "true";
    return made;
  }
  function pile(kind, count) {
    const top = count === 0 ? make("span", "place") : back(kind);
    const made = make("span", "pile " + kind, top, make("small", "", make("b", "", count), " " + kind));
    made.role = "img";
    made.ariaLabel = kind + " deck, " + count + " cards";
    return made;
  }

  // ------------------------------------------------------------ states and boards

  const known = new Map();
  function states(game) { // the state after each step of a game
    if (!known.has(game)) {
      let state = {};
      known.set(game, game.steps.map((step) => {
        state = { ...state, ...step.set };
        for (const key of Object.keys(state)) if (state[key] === null) delete state[key];
        return state;
      }));
    }
    return known.get(game);
  }
  const empty = () => make("div", "table");

  // show a state on a board; cards that are not in the state `before` are marked
  function fill(board, game, state, before) {
    board.classList.toggle("deep", Object.keys(state).some((key) => key[0] === "m" && state[key].includes("mud")));
    for (const stone of board.children.length ? [] : game.stones || [1, 2, 3, 4, 5, 6, 7, 8, 9]) {
      const column = make("div", "", make("div", "side north"), make("div", "stone"), make("div", "side south"));
      column.dataset.stone = stone;
      for (const one of column.children) one.role = "img";
      board.append(column);
    }
    for (const column of board.children) {
      const stone = column.dataset.stone, owner = state.own[stone - 1], [north, mark, south] = column.children;
      for (const [number, seat] of ["a", "b"].entries()) {
        const side = number ? north : south, worth = state["v" + seat + stone];
        const old = new Set(list(before && before[seat + stone]));
        const cards = list(state[seat + stone]).map((code, i) => {
          const one = card(code, game.edition, before && !old.has(code) ? "new" : "");
          one.style.setProperty("--i", i);
          return one;
        });
        const said = cards.map((one) => one.ariaLabel).join(", ") || "empty";
        side.ariaLabel = game.names[number] + ", stone " + stone + ": " + said + (worth ? "; " + worth : "");
        side.replaceChildren(
          ...cards,
          ...(!cards.length && owner === "." ? [make("span", "place")] : []),
          ...(worth ? [make("span", "says", worth)] : []),
        );
      }
      const modes = list(state["m" + stone]), won = list(state.won).indexOf(stone);
      mark.className = "stone" + (owner === "." ? "" : owner === "a" ? " south" : " north") + (won < 0 ? "" : " won");
      mark.style.setProperty("--i", won);
      const claimed = owner === "." ? "not claimed" : "claimed by " + game.names["ab".indexOf(owner)];
      mark.ariaLabel = ["stone " + stone, claimed, ...modes.map((one) => words(one, game.edition))].join(", ");
      mark.replaceChildren(stone, ...modes.map(symbol));
    }
  }

  function drawAll() { // what the page holds as data
    for (const one of document.querySelectorAll("[data-board]")) {
      const game = JSON.parse(one.dataset.board);
      one.querySelector("noscript")?.remove();
      fill(one, game, game.state);
    }
    for (const one of document.querySelectorAll("[data-face]")) {
      one.replaceWith(card(one.dataset.face, one.dataset.edition));
    }
  }
  document.addEventListener("renew", drawAll); // parts of the page are new

  // ------------------------------------------------------------ motion

  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const canMove = () => document.startViewTransition && !still.matches && !document.hidden;
  let moves = null, last = -Infinity;
  function name(root) { // what has the same name before and after a change is moved by the browser
    const seen = new Map();
    for (const one of root.querySelectorAll("[data-card], [data-back], .stone")) {
      const { card: code, back: hidden } = one.dataset;
      const base = code ? "card-" + code.split("=")[0].replace("*", "x")
        : hidden ? "back-" + hidden
        : "stone-" + one.parentElement.dataset.stone;
      seen.set(base, (seen.get(base) || 0) + 1);
      one.style.viewTransitionName = base + "-" + seen.get(base);
    }
  }
  // Call `draw`, which changes what is in `root`, and let the cards move; return a promise of the end. In each pair, what the
  // first selector finds before becomes what the second one finds after, and turns over if one is a back and one a face. A
  // change during a movement ends it, and while a key is held nothing moves.
  function moving(root, draw, pairs = []) {
    const before = last;
    last = performance.now();
    if (moves) moves.skipTransition();
    if (moves || last - before < 250 || !canMove()) return draw();
    const lend = (at) => pairs.forEach((pair, i) => {
      let one = root.querySelector(pair[at]);
      if (!one) return;
      if (!at && one.style.viewTransitionName) { // a deck gives several
        const top = one;
        one = top.cloneNode();
        top.after(one);
      }
      one.style.viewTransitionName = "pair-" + i;
      one.style.viewTransitionClass = (one.matches(".back") ? "pair" : "pair turn") + " w" + i % 4;
    });
    name(root);
    lend(0);
    const mine = moves = document.startViewTransition(() => {
      draw();
      name(root);
      lend(1);
    });
    mine.ready.catch(() => {}); // it was skipped
    return mine.finished.finally(() => { if (moves === mine) moves = null; });
  }

  function rest() { // end a movement; return a promise of it
    if (moves) moves.skipTransition();
    return moves && moves.finished;
  }

  drawAll();
  return { make, list, states, card, words, effect, back, isClan, pile, empty, fill, canMove, moving, rest };
})();
