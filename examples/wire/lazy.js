// A bot in JavaScript without libraries: the first legal move. Start it with cmd:node examples/wire/lazy.js
"use strict";

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.id === undefined) return;
  const answer = { id: message.id };
  if (message.type === "hello") answer.protocol = 3;
  if (message.type === "act") answer.move = message.moves[0];
  console.log(JSON.stringify(answer));
});
