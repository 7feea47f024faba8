// Renews a page when the server says that something has changed, and fills in the token of an invitation's link.
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
  if (!main || !window.EventSource) return;
  const PAUSE = 2000;
  let last = 0, timer = 0, shown = "";
  async function renew() {
    timer = 0;
    last = Date.now();
    if (document.hidden || document.activeElement && main.contains(document.activeElement)) return;
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      if (!answer.ok) return;
      const found = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
      if (!found || found.innerHTML === shown) return;
      shown = found.innerHTML;
      const kept = {};
      document.dispatchEvent(new CustomEvent("keep", { detail: kept }));
      main.replaceChildren(...found.childNodes);
      document.dispatchEvent(new CustomEvent("renew", { detail: kept }));
    } catch { /* the server is not there: the source connects again */ }
  }
  const source = new EventSource(main.dataset.live);
  source.addEventListener("change", () => {
    if (!timer) timer = setTimeout(renew, Math.max(0, last + PAUSE - Date.now()) + 500 * Math.random());
  });
})();
