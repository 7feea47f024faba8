// Draws cards, stones and boards from the states of arena/results/pages/boards.py, seat a below, and moves them: for the viewer,
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
  // The symbols are 24 units wide: what has the class f is filled, h is a hole, and the rest are lines. `figure` stands in the corner.
  const TACTICS = {
    "*J": {
      kind: "troop", figure: "1–9", does: "any colour and value; one for each player",
      art: `<path class="f" d="M5 16C5 10 3 9 1.6 9.6 2.4 4.6 7 4.4 9 9.2 9.4 5.6 10.6 3.6 12 2.4c1.4 1.2 2.6 3.2 3 6.8 2-4.8 6.6-4.6 7.4.4C20.6 9 19 10 19 16z"/>
        <path class="f" d="M5 18h14v3H5z"/>`,
    },
    "*7": {
      kind: "troop", figure: "7", does: "value 7 in any colour",
      art: `<path d="M1.5 12.5S5.5 6 12 6s10.5 6.5 10.5 6.5S18.5 19 12 19 1.5 12.5 1.5 12.5z"/>
        <circle class="f" cx="12" cy="12.5" r="4"/>
        <circle class="h" cx="13.3" cy="11.2" r="1.2"/>`,
    },
    "*123": {
      kind: "troop", figure: "1–3", does: "a 1, 2 or 3 of any colour",
      art: `<path class="f" d="M12 1.5 20.5 4.5V12c0 5-4 8.5-8.5 10.5C7.5 20.5 3.5 17 3.5 12V4.5z"/>
        <path class="h" d="M11 5h2v5h4v2h-4v7h-2v-7H7v-2h4z"/>`,
    },
    fog: {
      kind: "mode", figure: "Σ", does: "at this stone only the sum counts",
      art: ["M1.5 7", "M1.5 13", "M1.5 19"].map((line) => `<path d="${line}c3-3 5-3 8 0s5 3 8 0c2-2 3-2 5-1"/>`).join(""),
    },
    mud: {
      kind: "mode", figure: "4", does: "at this stone four cards make a side",
      art: `<ellipse class="f" cx="12" cy="18" rx="10.5" ry="4"/>
        <path class="f" d="M8.5 9.5a2 2 0 0 1-4.5 0C4 8 6.2 5 6.2 5s2.3 3 2.3 4.5z"/>
        <path class="f" d="M15 6.2a2.5 2.5 0 0 1-5 0C10 4.5 12.4 1 12.4 1S15 4.5 15 6.200z"/>
        <path class="f" d="M20.5 10.500a2 2 0 0 1-3.5 0C17 9.3 18.7 7 18.7 7s1.8 2.3 1.8 3.500z"/>`,
    },
    scout: {
      kind: "ruse", figure: "+3", does: "draw three cards, then put two back",
      art: `<path class="f" d="M4.5 9.3C10 9 14 7.3 17.5 4v16c-3.5-3.3-7.5-5-13-5.300z"/>
        <path d="M2 8.500v7M7 15l1.5 5.500h3L10 15.500M20.3 8.500c1.7 2 1.7 5 0 7"/>`,
    },
    redeploy: {
      kind: "ruse", figure: "", does: "move one card of yours, or discard it",
      art: `<path class="f" d="M14.5 10.500h7v11h-7z"/>
        <path stroke-dasharray="2 1.6" d="M2.5 10.500h7v11h-7z"/>
        <path d="M6 7.500c2-5 9.5-5 11.8 0M18.4 3.200l-.5 4.5-4.2-1.3"/>`,
    },
    deserter: {
      kind: "ruse", figure: "", does: "discard one of their cards",
      art: `<path class="f" d="M4.5 22V10.500a7.5 8.5 0 0 1 15 0V22L17 20l-2.5 2L12 20l-2.5 2L7 20z"/>
        <circle class="h" cx="9.2" cy="9.5" r="1.5"/>
        <circle class="h" cx="14.8" cy="9.5" r="1.5"/>
        <ellipse class="h" cx="12" cy="14.3" rx="1.7" ry="2.5"/>`,
    },
    traitor: {
      kind: "ruse", figure: "", does: "one of their clan cards joins your side",
      art: `<path d="M3.5 3.500c5.5 1.8 11.5 1.8 17 0V12c0 5.5-4 8.8-8.5 10.500C7.5 20.8 3.5 17.5 3.5 12z"/>
        <path class="f" d="M12 4.800c-3 0-5.7-.4-8.5-1.300V12c0 5.5 4 8.8 8.5 10.500z"/>
        <path class="h" d="M5.8 9c1.6-1.3 3-1.3 4.4.3-1.6 1-3 .9-4.4-.3z"/>
        <path class="f" d="M18.2 9c-1.6-1.3-3-1.3-4.4.3 1.6 1 3 .9 4.4-.3z"/>
        <path d="M12.5 17.500c1.6 0 2.8-.6 3.7-1.8"/>`,
    },
  };
  // As in arena/game/cards.py; a bar breaks a name that is too long for one line of its card.
  const NAMES = {
    iello: "Joker, Spy, Shield-|Bearer, Blind-Man's |Bluff, Mud |Fight, Recruiter, Strategist, Banshee, Traitor",
    "ps-2004": "Leider, Hulp|troepen, Schild|dragers, Mist, Modder, Verkenner, Her|groeperen, Deserteur, Overloper",
    "battle-line": "Leader, Companion |Cavalry, Shield |Bearers, Fog, Mud, Scout, Redeploy, Deserter, Traitor",
  };
  const kindOf = (code) => (code === "*8" ? "*7" : code);
  const nameOf = (code, edition) => (NAMES[edition] || NAMES.iello).split(", ")[Object.keys(TACTICS).indexOf(kindOf(code))];
  function words(code, edition) { // a card by its name, such as `Joker as red 7`
    const [printed, bound] = code.split("=");
    const name = TACTICS[kindOf(printed)] ? nameOf(printed, edition).replace("|", "") : COLOURS[printed[0]] + " " + printed.slice(1);
    return bound ? name + " as " + words(bound, edition) : name;
  }
  function effect(code, edition) { // a tactic card's name and what it does; "" for clan cards
    const printed = code.split("=")[0], tactic = TACTICS[kindOf(printed)];
    return tactic ? words(code, edition) + ": " + tactic.does.replace("7", printed[1]) : "";
  }
  function symbol(code, style) {
    const made = make("i", style);
    made.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true">${TACTICS[kindOf(code)].art}</svg>`;
    return made;
  }
  function title(name) { // as a drawing: it grows with the card, and a long word is set narrower, never broken
    const lines = name.split("|"), made = make("i", "title");
    const line = (one, i) => `<text x="50" y="${(lines.length > 1 ? 20 : 33) + 23 * i}"${one.length > 7 ? ' textLength="96" lengthAdjust="spacingAndGlyphs"' : ""}>${one.trim()}</text>`;
    made.innerHTML = `<svg viewBox="0 0 100 50" aria-hidden="true">${lines.map(line).join("")}</svg>`;
    return made;
  }
  function card(code, edition, style = "") {
    const [printed, bound] = code.split("="), tactic = TACTICS[kindOf(printed)], suit = bound || (!tactic && printed);
    const figure = suit ? suit.slice(1) : tactic.figure.replace("7", printed[1]);
    const made = make("span", ("card " + (suit ? "c-" + suit[0] : "tac " + tactic.kind) + " " + style).trim(), make("b", figure.length > 2 ? "long" : "", figure));
    if (tactic) made.append(symbol(printed, "symbol"), ...(suit ? [] : [title(nameOf(printed, edition))]));
    made.dataset.card = code;
    made.role = "img";
    made.ariaLabel = words(code, edition);
    if (tactic) made.dataset.tip = effect(code, edition);
    else made.title = made.ariaLabel;
    return made;
  }
  const isClan = (code) => /^[rgbypk]\d+$/.test(code);
  function back(code) {
    const made = make("span", "card back" + (isClan(code) ? "" : " tactic"));
    made.ariaHidden = "true";
    return made;
  }
  function pile(kind, count) {
    const made = make("span", "pile " + kind, count === 0 ? make("span", "place") : back(kind === "clan" ? "r1" : kind), make("small", "", make("b", "", count), " " + kind));
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
  const looks = new WeakMap();
  function isSame(element, look) { // whether an element shows that already; what does not change need not be drawn
    const same = looks.get(element) === look;
    looks.set(element, look);
    return same;
  }
  const empty = () => make("div", "table");

  // show a state on a board; cards that are not in the state `before` are marked
  function fill(board, game, state, before) {
    board.classList.toggle("deep", Object.values(state).some((one) => /^(fog )?mud( fog)?$/.test(one)));
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
        const look = [game.names[number], owner, state[seat + stone], before && before[seat + stone], worth].join();
        if (isSame(side, look)) continue;
        const cards = list(state[seat + stone]).map((code, i) => {
          const one = card(code, game.edition, before && !old.has(code) ? "new" : "");
          one.style.setProperty("--i", i);
          return one;
        });
        side.ariaLabel = game.names[number] + ", stone " + stone + ": " + (cards.map((one) => one.ariaLabel).join(", ") || "empty") + (worth ? "; " + worth : "");
        side.replaceChildren(...cards, ...(!cards.length && owner === "." ? [make("span", "place")] : []), ...(worth ? [make("span", "says", worth)] : []));
      }
      const modes = list(state["m" + stone]), won = list(state.won).indexOf(stone);
      mark.className = "stone" + (owner === "." ? "" : owner === "a" ? " south" : " north") + (won < 0 ? "" : " won");
      mark.style.setProperty("--i", won);
      mark.ariaLabel = ["stone " + stone, owner === "." ? "not claimed" : "claimed by " + game.names["ab".indexOf(owner)], ...modes.map((one) => words(one, game.edition))].join(", ");
      mark.replaceChildren(stone, ...modes.map((one) => symbol(one, "symbol")));
    }
  }

  function drawAll() { // what the page holds as data
    for (const one of document.querySelectorAll("[data-board]")) {
      const game = JSON.parse(one.dataset.board);
      one.querySelector("noscript")?.remove();
      fill(one, game, game.state);
    }
    for (const one of document.querySelectorAll("[data-face]")) one.replaceWith(card(one.dataset.face, one.dataset.edition));
  }
  document.addEventListener("renew", drawAll); // parts of the page are new

  // ------------------------------------------------------------ motion

  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const canMove = () => document.startViewTransition && !still.matches && !document.hidden;
  let moves = null, last = 0;
  function name(root) { // what has the same name before and after a change is moved by the browser
    const seen = new Map();
    for (const one of root.querySelectorAll("[data-card], [data-back], .stone")) {
      const { card: code, back: hidden } = one.dataset;
      const base = code ? "card-" + code.split("=")[0].replace("*", "x") : hidden ? "back-" + hidden : "stone-" + one.parentElement.dataset.stone;
      seen.set(base, (seen.get(base) || 0) + 1);
      one.style.viewTransitionName = base + "-" + seen.get(base);
    }
  }
  // Call `draw`, which changes what is in `root`, and let the cards move; return a promise of the change. A change during a
  // movement ends it, and while a key is held nothing moves.
  function moving(root, draw) {
    const before = last;
    last = performance.now();
    if (moves) moves.skipTransition();
    if (moves || last - before < 250 || !canMove()) return draw();
    return transition(root, draw).updateCallbackDone;
  }
  // The same, to its end. In each pair, what the first selector finds before becomes what the second one finds after; where it
  // shows its other side then, it turns over on the way. Pairs begin one after the other.
  function turning(root, draw, pairs = []) {
    return canMove() ? transition(root, draw, pairs).finished : draw();
  }
  function transition(root, draw, pairs = []) {
    name(root);
    const lend = (at) => pairs.forEach((pair, i) => {
      const one = root.querySelector(pair[at]);
      if (!one) return;
      one.style.viewTransitionName = "pair-" + i;
      one.style.viewTransitionClass = (one.matches(".back") ? "pair" : "pair turn") + " w" + i % 8;
    });
    lend(0);
    const mine = moves = document.startViewTransition(() => {
      draw();
      name(root);
      lend(1);
    });
    mine.ready.catch(() => {}); // it was skipped
    mine.finished.finally(() => { if (moves === mine) moves = null; });
    return mine;
  }

  drawAll();
  return { make, list, states, card, words, effect, back, isClan, pile, empty, fill, isSame, canMove, moving, turning };
})();
