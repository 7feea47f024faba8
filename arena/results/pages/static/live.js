// A page of a run that goes on loads itself again, and comes back to where its reader was. No network: the file is read anew.
"use strict";
(() => {
  const { reload } = JSON.parse(document.getElementById("data-page").textContent);
  // not while somebody types, chooses, marks a text or watches a game
  const busy = () => document.hidden || document.querySelector("[data-playing]") || String(getSelection()) !== ""
    || /^(SELECT|INPUT)$/.test((document.activeElement || {}).tagName);
  const again = () => {
    if (busy()) return void setTimeout(again, 1000);
    const state = {}; // each script puts in what it will need to know
    document.dispatchEvent(new CustomEvent("keep", { detail: state }));
    history.replaceState(state, "");
    location.reload();
  };
  setTimeout(again, reload);
})();
