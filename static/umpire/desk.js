// The moderator's desk, live: pushes replace the board and the banner, the page then fetches its own lists again.
// A form that somebody has begun to fill in is never touched. Without script everything here works by links and forms.
"use strict";

(() => {
  const root = document.getElementById("desk-page");
  if (!root) return;
  const byId = (id) => document.getElementById(id);
  const PUSHED = ["live", "units", "banner"];
  const LISTS = ["desk-clock", "desk-queue", "cases", "timeline", "refused"];
  let version = Number(byId("live").dataset.version);
  let skew = Date.now() - performance.now();
  let wrapper = null;

  root.addEventListener("input", (event) => {
    const form = event.target.closest("form");
    if (form) form.dataset.edited = "";
  });

  const parse = (html) => {
    const holder = document.createElement("template");
    holder.innerHTML = html;
    return holder.content;
  };

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
    tick();
    if (newer) lists();
  }

  let asking = 0;
  function lists() {
    clearTimeout(asking);
    asking = setTimeout(async () => {
      try {
        const answer = await fetch(location.href, { redirect: "manual" });
        if (answer.type === "opaqueredirect") { location.reload(); return; }
        if (!answer.ok) return;
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        for (const id of LISTS) {
          const old = byId(id);
          const fresh = page.getElementById(id);
          const busy = old && (old.querySelector("[data-edited]") || old.contains(document.activeElement));
          if (old && fresh && !busy) old.replaceWith(document.adoptNode(fresh));
        }
        const board = page.getElementById("units");
        if (board && Number(board.dataset.version) >= version) byId("units").replaceWith(document.adoptNode(board));
      } catch { show("off"); }
    }, 120);
  }

  // ------------------------------------------------------------------ the clock, and the line

  function clockText(seconds) {
    const whole = Math.max(0, Math.ceil(seconds - 0.001));
    const hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60, rest = String(whole % 60).padStart(2, "0");
    return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
  }

  function tick() {
    const clock = byId("clock");
    if (!clock) return;
    const running = "running" in clock.dataset && clock.dataset.due;
    const left = running ? (Date.parse(clock.dataset.due) - (performance.now() + skew)) / 1000 : Number(clock.dataset.left);
    const text = clockText(left);
    const shown = clock.querySelector(".clock-t");
    if (shown && shown.textContent !== text) shown.textContent = text;
    const part = Math.max(0, Math.min(1, left / Number(clock.dataset.total || 1)));
    clock.querySelector(".cb")?.setAttribute("width", (part * 100).toFixed(1));
    clock.querySelector(".ring")?.setAttribute("stroke-dasharray", `${(part * 175.9).toFixed(1)} 176`);
  }
  setInterval(tick, 250);

  const conn = byId("conn");
  function show(state) {
    if (!conn) return;
    conn.hidden = false;
    conn.classList.toggle("off", state === "off");
    conn.classList.toggle("slow", state === "slow");
    conn.querySelector(".conn-t").textContent = conn.dataset[state];
  }

  document.addEventListener("htmx:wsOpen", (event) => { wrapper = event.detail.socketWrapper; show("live"); });
  document.addEventListener("htmx:wsClose", (event) => {
    const code = event.detail.event?.code;
    if (code === 4401 || code === 4403) location.reload(); else show("off");
  });
  document.addEventListener("htmx:wsError", () => show("off"));
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
    show("live");
    const now = Date.parse(heart.dataset.now);
    if (!Number.isNaN(now)) skew = now - performance.now();
    wrapper?.send(JSON.stringify({ type: "alive" }), root);
    if (Number(heart.dataset.version) > version) { version = Number(heart.dataset.version); lists(); }
  }
})();
