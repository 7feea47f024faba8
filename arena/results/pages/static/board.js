// Boards and their motion, for the viewer, games against bots and live boards. The page's template `parts` has an empty
// board and the cards; nothing here draws one.
"use strict";
const boards = (() => {
  const make = (tag, style, ...inner) => {
    const made = document.createElement(tag);
    if (style) made.className = style;
    made.append(...inner);
    return made;
  };
  const list = (text) => (text ? text.split(" ") : []);

  // ------------------------------------------------------------ states

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

  // ------------------------------------------------------------ drawing

  const looks = new WeakMap();
  function isSame(element, look) { // whether an element shows that already; what does not change need not be drawn
    const same = looks.get(element) === look;
    looks.set(element, look);
    return same;
  }
  const faces = new Map();
  function card(code, edition, fresh) {
    if (!faces.has(edition + code)) {
      for (const group of document.getElementById("parts").content.querySelectorAll("[data-edition]")) {
        for (const one of group.children) faces.set(group.dataset.edition + one.dataset.card, one);
      }
    }
    const made = faces.get(edition + code).cloneNode(true);
    if (fresh) made.classList.add("new");
    return made;
  }
  function back(code) {
    const made = make("span", "card back" + (/^[rgbypk]\d+$/.test(code) ? "" : " tactic"));
    made.ariaHidden = "true";
    return made;
  }
  const empty = () => document.getElementById("parts").content.querySelector(".table").cloneNode(true);

  // show a state on a board, seat a below; cards that are not in the state `before` are marked
  function fill(board, game, state, before) {
    board.classList.toggle("deep", Object.values(state).some((one) => /^(fog )?mud( fog)?$/.test(one)));
    for (const column of board.children) {
      const stone = column.dataset.stone, owner = state.own[stone - 1], mark = column.querySelector(".stone");
      for (const [number, seat] of ["a", "b"].entries()) {
        const side = column.querySelector(seat === "a" ? ".side.south" : ".side.north");
        const old = new Set(list(before && before[seat + stone])), worth = state["v" + seat + stone];
        const look = [game.names[number], owner, state[seat + stone], before && before[seat + stone], worth].join();
        if (isSame(side, look)) continue;
        const cards = list(state[seat + stone]).map((code) => card(code, game.edition, before && !old.has(code)));
        const words = cards.map((one) => one.title).join(", ") || "empty";
        side.ariaLabel = game.names[number] + ", stone " + stone + ": " + words + (worth ? "; " + worth : "");
        side.replaceChildren(...cards, ...(!cards.length && owner === "." ? [make("span", "place")] : []), ...(worth ? [make("span", "says", worth)] : []));
      }
      const modes = list(state["m" + stone]);
      const won = list(state.won).includes(stone) ? " won" : "";
      mark.className = "stone" + (owner === "." ? "" : owner === "a" ? " south" : " north") + won;
      mark.ariaLabel = ["stone " + stone, owner === "." ? "not claimed" : "claimed by " + game.names["ab".indexOf(owner)], ...modes.map((one) => card(one, game.edition).title)].join(", ");
      mark.replaceChildren(stone, ...modes.map((one) => make("small", "", one)));
    }
  }

  // ------------------------------------------------------------ motion

  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let moves = null, last = 0;
  function name(root) { // what has the same name before and after a change is moved by the browser
    const seen = new Map();
    for (const one of root.querySelectorAll("[data-card], .stone")) {
      const code = one.dataset.card ? "card-" + one.dataset.card.split("=")[0].replace("*", "x") : "stone-" + one.parentElement.dataset.stone;
      seen.set(code, (seen.get(code) || 0) + 1);
      one.style.viewTransitionName = code + "-" + seen.get(code);
    }
  }
  // Call `draw`, which changes what is in `root`, and let the cards move; return a promise of the change. A change during a
  // movement ends it, and while a key is held nothing moves.
  function moving(root, draw) {
    const before = last;
    last = performance.now();
    if (moves) moves.skipTransition();
    if (moves || last - before < 250) return draw();
    if (!document.startViewTransition || still.matches || document.hidden) return draw();
    name(root);
    const mine = moves = document.startViewTransition(() => {
      draw();
      name(root);
    });
    mine.ready.catch(() => {}); // it was skipped
    mine.finished.finally(() => { if (moves === mine) moves = null; });
    return mine.updateCallbackDone;
  }

  return { make, list, states, card, back, empty, fill, isSame, moving };
})();
