// What the board and the desk share: fragments that come over the line, the server's time, the clock's face, the word
// for the line.
"use strict";

const umpireLive = (() => {
  const byId = (id) => document.getElementById(id);
  let skew = Date.now() - performance.now();

  function parse(html) {
    const holder = document.createElement("template");
    holder.innerHTML = html;
    return holder.content;
  }

  function clockText(seconds) {
    const whole = Math.max(0, Math.ceil(seconds - 0.001));
    const hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60, rest = String(whole % 60).padStart(2, "0");
    return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
  }

  // Draw the clock as it stands now; what it shows, or null where there is no clock.
  function drawClock() {
    const clock = byId("clock");
    if (!clock) return null;
    const running = Boolean("running" in clock.dataset && clock.dataset.due);
    const left = running ? (Date.parse(clock.dataset.due) - (performance.now() + skew)) / 1000 : Number(clock.dataset.left);
    const text = clockText(left);
    const shown = clock.querySelector(".clock-t");
    if (shown && shown.textContent !== text) {
      shown.textContent = text;
      shown.classList.toggle("long", text.length > 5);  // hours: smaller figures
    }
    const part = Math.max(0, Math.min(1, left / Number(clock.dataset.total || 1)));
    clock.querySelector(".cb")?.setAttribute("width", (part * 100).toFixed(1));
    clock.querySelector(".ring")?.setAttribute("stroke-dasharray", `${(part * 175.9).toFixed(1)} 176`);
    return { clock, running, left, text };
  }

  // The word for the line: live, slow or off.
  function showLine(state) {
    const conn = byId("conn");
    if (!conn) return;
    conn.hidden = false;
    conn.classList.toggle("off", state === "off");
    conn.classList.toggle("slow", state === "slow");
    const word = conn.dataset[state];
    const text = conn.querySelector(".conn-t");
    if (text.textContent !== word) text.textContent = word;
    conn.title = word;
  }

  // A heartbeat: set the clock by the server's, answer that somebody is here; the version that the server has.
  function hear(heart, wrapper, element) {
    const now = Date.parse(heart.dataset.now);
    if (!Number.isNaN(now)) skew = now - performance.now();
    wrapper?.send('{"type": "alive"}', element);
    return Number(heart.dataset.version);
  }

  return { byId, parse, drawClock, showLine, hear };
})();
