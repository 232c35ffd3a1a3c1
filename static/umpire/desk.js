// The moderator's desk, live: pushes replace the board and the banner, the page then fetches its own lists again.
// A form that somebody has begun to fill in is never touched. Without script everything here works by links and forms.
"use strict";

(() => {
  const root = document.getElementById("desk-page");
  if (!root) return;
  const { byId, parse, drawClock, showLine, hear } = umpireLive;
  const PUSHED = ["live", "units", "banner"];
  const LISTS = ["desk-clock", "desk-queue", "cases", "timeline", "refused"];
  let version = Number(byId("live").dataset.version);
  let wrapper = null;

  root.addEventListener("input", (event) => {
    const form = event.target.closest("form");
    if (form) form.dataset.edited = "";
  });

  // After a form in error the page stands at the form's address, which shows nothing: the lists come from the desk's.
  const own = () => (location.pathname === root.dataset.desk ? root.dataset.desk + location.search : root.dataset.desk);

  function apply(html) {
    const pushed = parse(html);
    const live = pushed.querySelector("#live");
    if (!live || Number(live.dataset.version) < version) return;
    const newer = Number(live.dataset.version) > version;
    version = Number(live.dataset.version);
    for (const id of PUSHED) {
      const fresh = pushed.querySelector(`#${id}`);
      fresh?.removeAttribute("hx-swap-oob");
      if (fresh) byId(id)?.replaceWith(fresh);
    }
    drawClock();
    if (newer) lists();
  }

  let asking = 0, behind = false;
  function lists() {
    behind = true;  // until they have come: a fault of the server's costs a heartbeat
    clearTimeout(asking);
    asking = setTimeout(async () => {
      try {
        const answer = await fetch(own(), { redirect: "manual" });
        if (answer.type === "opaqueredirect") { location.reload(); return; }
        if (!answer.ok) return;
        behind = false;
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        for (const id of LISTS) {
          const old = byId(id);
          const fresh = page.getElementById(id);
          const busy = old && (old.querySelector("[data-edited]") || old.contains(document.activeElement));
          if (old && fresh && !busy) old.replaceWith(document.adoptNode(fresh));
        }
        const board = page.getElementById("units");
        if (board && Number(board.dataset.version) >= version) byId("units").replaceWith(document.adoptNode(board));
      } catch { showLine("off"); }
    }, 120);
  }

  // ------------------------------------------------------------------ the clock, and the line

  setInterval(drawClock, 250);

  document.addEventListener("htmx:wsOpen", (event) => { wrapper = event.detail.socketWrapper; showLine("live"); });
  document.addEventListener("htmx:wsClose", (event) => {
    const code = event.detail.event?.code;
    if (code === 4401 || code === 4403) location.reload(); else showLine("off");
  });
  document.addEventListener("htmx:wsError", () => showLine("off"));
  document.addEventListener("htmx:wsBeforeMessage", (event) => {
    event.preventDefault();
    const message = event.detail.message;
    if (message.startsWith("{")) return;
    wrapper = event.detail.socketWrapper || wrapper;
    if (message.includes('id="heartbeat"')) beat(parse(message).querySelector("#heartbeat"));
    if (message.includes('id="live"')) apply(message);
  });

  function beat(heart) {
    if (!heart) return;
    showLine("live");
    const theirs = hear(heart, wrapper, root);
    if (theirs > version || behind) { version = Math.max(version, theirs); lists(); }
  }
})();
