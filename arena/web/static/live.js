// Names who is signed in, plays a game on a page by itself, refreshes a page every five seconds, and fills in the token
// from an invitation's link.
"use strict";
function fill() {
  const field = document.querySelector("[data-sign-in] input[name=token]");
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!field || !token) return;
  field.value = token;
  history.replaceState(null, "", location.pathname);
}
fill();
addEventListener("hashchange", fill); // the link was pasted into the open page
(async () => { // public pages are the same for everybody
  const place = document.querySelector("[data-me]");
  if (!place) return;
  try {
    const { author, admin } = await (await fetch(place.dataset.me)).json(), [organise, me] = place.querySelectorAll("a");
    if (author) me.textContent = author;
    organise.hidden = !admin;
  } catch { /* the link works nevertheless */ }
})();
const show = (() => {
  const box = document.querySelector("[data-show]");
  if (!box) return null;
  let games = JSON.parse(document.getElementById("data-shown").textContent), which = 0, at = 0, timer = 0, game;
  const { make, moving, states, fill } = boards, board = box.querySelector(".table"), find = (what) => box.querySelector(what);
  const key = (text, act) => {
    const button = make("button", "key", text);
    button.type = "button";
    button.addEventListener("click", act);
    find(".keys").append(button);
    return button;
  };
  const other = key("", () => begin((which + 1) % games.length));
  const pause = key("Pause", () => (timer ? stop() : begin(which, at)));

  function draw() {
    const all = states(game), step = game.steps[at];
    fill(board, game, all[at], all[at - 1]);
    find("[data-said]").textContent = at === all.length - 1 ? game.result.replaceAll("–", "\u2060–\u2060") : at ? game.names[step.seat] + ": " + step.words : "The cards are dealt";
  }
  function stop() {
    clearInterval(timer);
    timer = 0;
    pause.textContent = "Play";
  }
  function begin(one, from = 0) {
    stop();
    which = one;
    game = games[which];
    at = from;
    find("[data-above]").textContent = game.names[1];
    find("[data-below]").textContent = game.names[0];
    find("[data-watch]").href = find("[data-watch]").href.replace(/[^/]*$/, game.key.replaceAll("/", "-"));
    const next = games[(which + 1) % games.length];
    other.hidden = games.length < 2;
    other.textContent = "Show " + next.word;
    pause.textContent = "Pause";
    moving(box, draw);
    let rest = 6; // at the end the board stays for a while
    timer = setInterval(() => {
      if (document.hidden) return;
      if (at < game.steps.length - 1) {
        at += 1;
        moving(box, draw);
      } else if (!(rest -= 1)) begin(which % games.length);
    }, 1500);
  }
  begin(0, Math.floor(games[0].steps.length * 0.4)); // not at an empty table
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) stop();
  return { box, renew: (text) => { games = JSON.parse(text); } };
})();
(() => {
  const main = document.querySelector("main[data-live]");
  if (!main) return;
  let shown = "";
  setInterval(async () => {
    const focused = main.contains(document.activeElement) && !(show && show.box.contains(document.activeElement));
    if (document.hidden || focused) return;
    if (main.querySelector("th[aria-sort], details[open]")) return; // keep what the reader has sorted or opened
    try {
      const answer = await fetch(location.href); // an unchanged page is not sent again
      const page = answer.ok && new DOMParser().parseFromString(await answer.text(), "text/html"), found = page && page.querySelector("main");
      if (!found || found.innerHTML === shown) return;
      shown = found.innerHTML;
      const place = found.querySelector("[data-show]");
      if (show && place) { // the game plays on
        show.renew(page.getElementById("data-shown").textContent);
        place.replaceWith(show.box);
      }
      main.replaceChildren(...found.childNodes);
      document.dispatchEvent(new Event("renew"));
    } catch { /* the server did not answer; try again next time */ }
  }, 5000);
})();
