// A bot in JavaScript for node, without any library: counts which formations are still possible on both sides.
//
//     arena match "cmd:node bots/wire/js/counter.js" random
//
// It reads one JSON object a line and answers with one line that has the same "id". docs/wire.md describes the lines.
"use strict";

// What formations are worth, best first: a little more than the share of others that they beat.
const COLOUR_RUN = 1.0, KIND = 0.8, COLOUR = 0.55, RUN = 0.4, SUM = 0.1;
// How likely a card comes to a stone: one of my hand, one that I have not seen; an unseen one to the other side.
const HELD = 0.7, MINE = 0.2, THEIRS = 0.5;

const isClan = (card) => /^[rgbypk]\d+$/.test(card);
const valueOf = (card) => Number(card.slice(1));
const chanceOfAny = (chances) => 1 - chances.reduce((none, chance) => none * (1 - chance), 1);

// The chance that at least `count` of independent things happen.
function chanceOf(count, chances) {
  let exactly = [1]; // exactly[n]: the chance that n of them happen
  for (const chance of chances) {
    const longer = Array(exactly.length + 1).fill(0);
    exactly.forEach((likely, n) => {
      longer[n] += likely * (1 - chance);
      longer[n + 1] += likely * chance;
    });
    exactly = longer;
  }
  return exactly.slice(Math.max(count, 0)).reduce((sum, likely) => sum + likely, 0);
}

// What a side may be expected to be worth when it is complete; `pool` says how likely each missing card comes.
function hope(side, stone, pool) {
  const cards = side.map((card) => card.split("=").pop()).filter(isClan); // *J=r7 counts as r7
  const missing = stone.capacity - cards.length;
  const wilds = side.length - cards.length; // fit in everywhere
  const values = cards.map(valueOf);
  const colours = new Set(cards.map((card) => card[0]));
  const high = values.reduce((sum, value) => sum + value, 0) + 5 * missing;
  if (stone.modes.includes("fog")) return high / 40; // only sums count
  if (cards.length === 0) return 0.5;

  const chances = (wanted) => [...pool].filter(([card]) => wanted(card)).map(([, chance]) => chance);
  let run = 0, colourRun = 0, kind = 0, colour = 0;
  if (new Set(values).size === values.length) {
    for (let low = Math.max(...values) - stone.capacity + 1; low <= Math.min(...values); low++) {
      if (low < 1) continue;
      const wanted = Array.from({ length: stone.capacity }, (_, n) => low + n).filter((v) => !values.includes(v));
      const withWilds = (each) => each.sort((a, b) => a - b).slice(wilds).reduce((all, chance) => all * chance, 1);
      run = Math.max(run, withWilds(wanted.map((v) => chanceOfAny(chances((card) => valueOf(card) === v)))));
      colourRun = Math.max(colourRun, withWilds(wanted.map((v) => pool.get(cards[0][0] + v) ?? 0)));
    }
  }
  if (colours.size === 1) colour = chanceOf(missing - wilds, chances((card) => colours.has(card[0])));
  else colourRun = 0;
  if (new Set(values).size === 1) kind = chanceOf(missing - wilds, chances((card) => valueOf(card) === values[0]));

  let worth = 0, left = 1; // the best of those that come about counts
  for (const [chance, value] of [[colourRun, COLOUR_RUN], [kind, KIND], [colour, COLOUR], [run, RUN], [1, SUM]]) {
    worth += left * chance * value;
    left *= 1 - chance;
  }
  return worth + high / 300;
}

function choose(message) {
  const hand = message.hand.filter(isClan);
  const theirPool = new Map(message.unseen.map((card) => [card, THEIRS]));
  const myPool = new Map([...message.unseen.map((card) => [card, MINE]), ...hand.map((card) => [card, HELD])]);
  const lead = (stone, extra) => {
    const margin = hope([...stone.mine, ...extra], stone, myPool) - hope(stone.theirs, stone, theirPool);
    return 1 / (1 + Math.exp(-3 * margin)); // about the chance to win the stone
  };

  const liking = (move) => {
    // r7@3, *J=r7@3, fog@3, take r7@3, return r7, draw clan, claim 3, no claim, discard, pass, names of ruses
    const [verb, card] = move.split(/[ @]/);
    if (verb === "take") return isClan(card) ? valueOf(card) : 11;
    if (verb === "return") return isClan(card) ? -valueOf(card) : 1;
    if (verb === "claim") return 1;
    if (move === "draw clan") return 1;
    const placed = move.match(/^([^ ]+)@(\d)$/);
    if (!placed || verb === "fog" || verb === "mud") return -0.4;
    const played = placed[1].split("=").pop();
    const stone = message.stones[placed[2] - 1];
    const before = lead(stone, []);
    const held = myPool.get(played);
    myPool.delete(played);
    const after = lead(stone, [played]);
    if (held !== undefined) myPool.set(played, held);
    return after - before - (placed[1][0] === "*" ? 0.3 : 0) - (isClan(played) ? valueOf(played) / 1000 : 0);
  };

  const likings = message.moves.map(liking);
  return likings.indexOf(Math.max(...likings));
}

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.id === undefined) return; // what has no id wants no answer: "bye"
  const answer = { id: message.id };
  if (message.type === "hello") Object.assign(answer, { protocol: 3, name: "counter in JavaScript" });
  if (message.type === "act") answer.move = choose(message);
  console.log(JSON.stringify(answer));
});
