// Refreshes a page every five seconds, and fills in the token from an invitation's link.
"use strict";
(() => {
  const field = document.querySelector("[data-sign-in] input[name=token]");
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!field || !token) return;
  field.value = token;
  history.replaceState(null, "", location.pathname);
})();
(() => {
  const main = document.querySelector("main[data-live]");
  if (!main) return;
  let shown = "";
  setInterval(async () => {
    if (document.hidden || main.contains(document.activeElement)) return;
    if (main.querySelector("th[aria-sort], details[open]")) return; // keep what the reader has sorted or opened
    try {
      const answer = await fetch(location.href); // an unchanged page is not sent again
      const found = answer.ok && new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
      if (!found || found.innerHTML === shown) return;
      shown = found.innerHTML;
      main.replaceChildren(...found.childNodes);
      document.dispatchEvent(new Event("renew"));
    } catch { /* the server did not answer; try again next time */ }
  }, 5000);
})();
