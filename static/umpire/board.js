// The board in motion: selections and orders as fragments, pushes, clocks, the keyboard, moving blocks.
// Everything it does the server does too, by plain links and forms.
"use strict";

(() => {
  const root = document.getElementById("battle");
  if (!root) return;
  const { byId, parse, drawClock, showLine, hear } = umpireLive;
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const PUSHED = new Set(["live", "units", "roster-upper", "roster-lower", "tray", "banner", "legend", "questions", "log"]);
  const CHOSEN = new Set(["orders", "quick", "under", "over"]);
  const STEP = 180, MARCH = 900, SHOT = 120, LOSS = 360, STRETCH = 48;
  const PATIENCE = { order: 12, panel: 4 };  // how often one asks a server that answers with a fault: for 38 s, for 6 s

  let version = Number(byId("live").dataset.version);
  let newest = Number(byId("live").dataset.newest);
  let selection = location.search;
  let line = "slow";
  let lastBeat = performance.now();
  let asking = null, loading = Promise.resolve();
  let wrapper = null;
  let socketElement = root;

  // ------------------------------------------------------------------ small helpers

  const side = () => (root.dataset.viewer === "red" || root.dataset.viewer === "blue" ? root.dataset.viewer : "");
  const deploying = () => side() !== "" && byId("live").dataset.phase === "deployment";
  const chosenUnit = () => new URLSearchParams(selection).get("unit") || "";
  const say = (text) => { byId("say").textContent = text; };

  function freshId() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 15) | 64;
    bytes[8] = (bytes[8] & 63) | 128;
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  }

  function headers() {
    const sent = { "HX-Request": "true" };
    const given = JSON.parse(document.body.getAttribute("hx-headers") || "{}");
    return { ...sent, ...given };
  }

  // ------------------------------------------------------------------ fragments

  // Put fragments in place of their elders. What is older than the page is left out, and so is the panel if asked.
  function apply(html, { keepChoice = false } = {}) {
    const fragments = parse(html);
    const live = fragments.querySelector("#live");
    const incoming = live ? Number(live.dataset.version) : null;
    const older = incoming !== null && incoming < version;
    const before = places();
    const focused = whereFocusIs();
    for (const child of [...fragments.children]) {
      if (!child.id || (older && PUSHED.has(child.id)) || (keepChoice && CHOSEN.has(child.id))) continue;
      child.removeAttribute("hx-swap-oob");
      byId(child.id)?.replaceWith(child);
    }
    const newer = incoming !== null && incoming > version;
    if (incoming !== null && !older) version = incoming;
    restoreFocus(focused);
    mark();
    tick();
    if (live && !older) news(live);
    if (newer) move(before);
    return newer;
  }

  function whereFocusIs() {
    const at = document.activeElement;
    if (!at || at === document.body) return null;
    if (at.dataset?.cell && byId("over").contains(at)) return { cell: at.dataset.cell };
    if (at.dataset?.pick) return { pick: at.dataset.pick };
    if (at.id) return { id: at.id };
    if (byId("orders").contains(at)) return { text: at.textContent.trim(), id: "orders" };
    if (byId("banner").contains(at)) return { text: at.textContent.trim(), within: "banner", id: "" };
    return null;
  }

  function restoreFocus(at) {
    if (!at || document.activeElement !== document.body) return;
    let found = null;
    if (at.cell) found = cellNamed(at.cell);
    else if (at.pick) found = root.querySelector(`[data-pick="${CSS.escape(at.pick)}"]`);
    else if (at.text) {
      const inside = byId(at.within || at.id);
      found = [...inside.querySelectorAll("button, a, summary")].find((e) => e.textContent.trim() === at.text);
    }
    found = found || (at.id ? byId(at.id) : null);
    found?.focus({ preventScroll: true });
  }

  // What the page adds to fragments that are the same for all tabs: the chosen chip, the end of orders while offline.
  function mark() {
    const unit = chosenUnit();
    root.querySelectorAll("[data-pick]").forEach((chip) => {
      const on = chip.dataset.pick === unit;
      chip.parentElement.classList.toggle("on", on);
      if (on) chip.setAttribute("aria-current", "true"); else chip.removeAttribute("aria-current");
    });
    const off = line === "off";
    root.classList.toggle("is-offline", off);
    root.querySelectorAll("form[data-order] button, button[form]").forEach((button) => {
      if (off && !button.disabled) { button.disabled = true; button.dataset.held = ""; }
      else if (!off && "held" in button.dataset) { button.disabled = false; delete button.dataset.held; }
    });
  }

  // ------------------------------------------------------------------ choosing

  function choose(query, { remember = true } = {}) {
    selection = query === "?" ? "" : query;
    if (remember) history.pushState({ battle: true }, "", location.pathname + selection);
    mark();
    return load();
  }

  const load = () => (loading = ask());

  async function ask() {
    asking?.abort();
    const mine = (asking = new AbortController());
    const wanted = selection;
    try {
      for (let tries = 0; wanted === selection && !mine.signal.aborted; tries += 1) {
        const answer = await fetch(root.dataset.panel + wanted, { headers: headers(), signal: mine.signal, redirect: "manual" });
        if (signedOut(answer)) return;
        const html = await answer.text();
        if (wanted !== selection) return;
        if (answer.ok) { apply(html); follow(); return; }
        if (answer.status < 500 || tries >= PATIENCE.panel) { complain(root.dataset.sayUnloaded, answer.status); return; }
        if (!away) show("slow");
        await pause(tries);
      }
    } catch (error) {
      if (error.name !== "AbortError") lost();
    } finally {
      if (asking === mine) asking = null;
    }
  }

  async function refresh() {
    const wanted = selection;
    try {
      const answer = await fetch(root.dataset.refresh + wanted, { headers: headers(), redirect: "manual" });
      if (signedOut(answer)) return;
      if (answer.ok) apply(await answer.text(), { keepChoice: wanted !== selection || edited() });
      else if (answer.status < 500) complain(root.dataset.sayUnloaded, answer.status);
      else if (!away) show("slow");  // the next heartbeat asks again
    } catch { lost(); }
  }

  const pause = (tries) => new Promise((done) => setTimeout(done, Math.min(4000, 400 * 2 ** tries)));

  // What the server says beside the rules, in the panel where refusals stand.
  function complain(text, status) {
    const box = byId("refusal");
    box.className = "notice error";
    box.setAttribute("role", "alert");
    box.textContent = text.replace("{}", status);
    box.scrollIntoView({ block: "nearest" });
  }

  function signedOut(answer) {
    if (answer.type !== "opaqueredirect") return false;
    location.reload();
    return true;
  }

  const edited = () => Boolean(byId("orders").querySelector("[data-edited]"));
  root.addEventListener("input", (event) => { event.target.dataset.edited = ""; });

  // ------------------------------------------------------------------ orders, one after another

  let queue = Promise.resolve();
  const enqueue = (job) => { queue = queue.then(() => send(job)).catch((error) => console.warn(error)); return queue; };

  async function send(job) {
    let answer, html, tries = 0, faults = 0;
    for (; ; tries += 1) {
      try {
        const only = job.selection === selection ? {} : { "X-Board-Only": "1" };
        answer = await fetch(job.url, { method: "POST", body: job.body, headers: { ...headers(), ...only }, redirect: "manual" });
        if (signedOut(answer)) return;
        html = await answer.text();
      } catch {
        answer = null;
        lost();
      }
      if (answer && (answer.status < 500 || inWords(answer, html) || faults >= PATIENCE.order)) break;
      if (answer) faults += 1;
      notice(root.dataset.sayUnsaved);
      await pause(tries);
    }
    if (tries && !away) notice("");
    if (answer.ok || answer.status === 409) {
      const same = job.selection === selection;
      apply(html, { keepChoice: !same });
      if (same) adopt();
    } else if (inWords(answer, html)) {
      apply(html);
      byId("refusal").scrollIntoView({ block: "nearest" });
    } else {
      complain(answer.status < 500 ? root.dataset.sayRefused : root.dataset.sayUnanswered, answer.status);
    }
  }

  // Whether the answer says itself, in a fragment for the panel, what came of the order.
  const inWords = (answer, html) => answer.ok || answer.status === 409
    || Boolean(answer.headers.get("content-type")?.startsWith("text/html") && html.includes('id="refusal"'));

  // The selection that the server kept after an order becomes the page's.
  function adopt() {
    const kept = byId("orders").dataset.query || "?";
    selection = kept === "?" ? "" : kept;
    history.replaceState({ battle: true }, "", location.pathname + selection);
    mark();
  }

  function post(fields) {
    const body = new URLSearchParams(fields);
    body.set("command_id", freshId());
    body.set("seen", String(version));
    body.set("back", selection || "?");
    return enqueue({ url: root.dataset.order, body, selection });
  }

  document.addEventListener("submit", (event) => {
    const form = event.target.closest("form[data-order]");
    if (!form) return;
    event.preventDefault();
    if (line === "off") return;
    const body = new URLSearchParams(new FormData(form));
    const button = event.submitter;
    if (button?.name) body.set(button.name, button.value);
    if (!body.get("back")) body.set("back", selection || "?");
    if (body.has("command_id")) {
      const said = [...body].filter(([name]) => name !== "command_id" && name !== "csrfmiddlewaretoken").join("\n");
      if (form.said !== undefined && form.said !== said) form.ownId = freshId();
      form.said = said;
      if (form.ownId) body.set("command_id", form.ownId);
    }
    enqueue({ url: form.action, body, selection });
  });

  // ------------------------------------------------------------------ taps

  document.addEventListener("click", (event) => {
    const zoom = event.target.closest("[data-zoom]");
    if (zoom) { zoomTo(zoom.getAttribute("aria-pressed") !== "true"); return; }
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target.closest("a[data-cell], a[data-pick], a[data-select], a[data-post]");
    if (!link || !root.contains(link)) return;
    event.preventDefault();
    if (link.getAttribute("aria-disabled") === "true") return;
    tap(link);
  });

  function tap(link) {
    if (link.dataset.cell && asking && !deploying()) {  // the marks of the unit just chosen are still on their way
      const name = link.dataset.cell;
      loading.then(() => tap(cellNamed(name)));
      return;
    }
    if (link.dataset.cell && !link.dataset.unit && deploying() && chosenUnit()) {
      if (line === "off") return;
      const at = link.dataset.cell;
      const ready = new URLSearchParams(link.dataset.post || "");
      if (ready.get("unit") === chosenUnit()) post(ready);
      else post({ type: "place", unit: chosenUnit(), at });
      return;
    }
    if (link.dataset.post) {
      if (line !== "off") post(link.dataset.post);
      return;
    }
    if (link.dataset.pick) { choose(chosenUnit() === link.dataset.pick ? "?" : `?unit=${encodeURIComponent(link.dataset.pick)}`); return; }
    if (link.dataset.own !== undefined && link.dataset.unit && deploying()) {
      choose(chosenUnit() === link.dataset.unit ? "?" : `?unit=${encodeURIComponent(link.dataset.unit)}`);
      return;
    }
    choose(link.getAttribute("href"));
  }

  addEventListener("popstate", () => { selection = location.search; mark(); load(); });

  // ------------------------------------------------------------------ keyboard

  const cellNamed = (name) => byId("over").querySelector(`a[data-cell="${CSS.escape(name)}"]`);

  function step(cell, dx, dy) {
    const row = cell.parentElement.parentElement;
    const x = [...row.children].indexOf(cell.parentElement) + dx;
    let next = row;
    for (let moved = 0; moved < Math.abs(dy); moved += 1) {
      next = dy < 0 ? next.previousElementSibling : next.nextElementSibling;
      if (!next || next.getAttribute("role") !== "row") return null;
    }
    return next.children[x]?.firstElementChild || null;
  }

  root.addEventListener("focusin", (event) => {
    const cell = event.target.closest?.("a[data-cell]");
    if (!cell) return;
    byId("over").querySelectorAll('a[data-cell][tabindex="0"]').forEach((other) => other.setAttribute("tabindex", "-1"));
    cell.setAttribute("tabindex", "0");
    const box = cell.getBBox();
    const cursor = byId("cursor");
    cursor.setAttribute("x", box.x);
    cursor.setAttribute("y", box.y);
    cursor.removeAttribute("hidden");
  });
  root.addEventListener("pointerdown", () => root.classList.add("no-keys"));

  const ARROWS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

  document.addEventListener("keydown", (event) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    root.classList.remove("no-keys");
    const at = event.target;
    const cell = at.closest?.("a[data-cell]");
    if (cell && ARROWS[event.key]) {
      const next = step(cell, ...ARROWS[event.key]);
      if (next) { event.preventDefault(); next.focus(); next.scrollIntoView({ block: "nearest", inline: "nearest" }); }
      return;
    }
    if (cell && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); tap(cell); return; }
    if (at.closest?.("input, textarea, select, dialog, details.drop")) return;
    if (event.key === "Escape") { back(); return; }
    if (event.key === "[" || event.key === "]") { round(event.key === "]" ? 1 : -1); return; }
    if (event.key === "f") { turn(); return; }
    if (event.key === "e") byId("end-turn")?.click();
  });

  function back() {
    const now = new URLSearchParams(selection);
    if (!selection) return;
    choose(now.get("to") || now.get("target") ? `?unit=${encodeURIComponent(now.get("unit"))}` : "?");
  }

  function round(by) {
    const own = [...root.querySelectorAll("#tray a[data-pick], .roster a[data-own]")].map((chip) => chip.dataset.pick);
    if (!own.length) return;
    const index = own.indexOf(chosenUnit());
    const next = own[(index < 0 ? (by > 0 ? 0 : own.length - 1) : index + by + own.length) % own.length];
    choose(`?unit=${encodeURIComponent(next)}`).then(() => {
      byId("over").querySelector(`a[data-unit="${CSS.escape(next)}"]`)?.focus({ preventScroll: true });
    });
  }

  // Turn: to the right at once while deploying; in play the buttons of the panel say what it costs.
  function turn() {
    const right = byId("over").querySelectorAll(".turner a")[1];
    if (right) { tap(right); return; }
    byId("orders").querySelector('form button[name="facing"], form button[name="to"]')?.focus();
  }

  // ------------------------------------------------------------------ what happened

  function news(live) {
    const fresh = [...live.querySelectorAll("p")].filter((p) => Number(p.dataset.no) > newest);
    newest = Math.max(newest, Number(live.dataset.newest));
    const others = fresh.filter((p) => p.dataset.side !== side());
    if (others.length) say(others.map((p) => p.textContent).join(" "));
  }

  function places() {
    const found = new Map();
    root.querySelectorAll("#units .unit").forEach((unit) => {
      const at = /translate\(([-\d.]+) ([-\d.]+)\)/.exec(unit.getAttribute("transform"));
      if (at) found.set(unit.dataset.key, { x: Number(at[1]), y: Number(at[2]), hp: Number(unit.dataset.hp), fired: "fired" in unit.dataset, side: unit.className.baseVal, unit });
    });
    return found;
  }

  // Blocks move along their way one after another; then shots and losses show for a moment.
  function move(before) {
    if (still.matches || !before.size || document.hidden) return;
    let delay = 0;
    const now = places();
    for (const [key, there] of now) {
      const from = before.get(key);
      if (!from || (from.x === there.x && from.y === there.y)) continue;
      const way = (there.unit.dataset.route || "").split(" ").filter(Boolean).map((p) => p.split(",").map(Number));
      const begin = way.findIndex(([x, y]) => Math.abs(x - from.x) < 1 && Math.abs(y - from.y) < 1);
      const points = [[from.x, from.y], ...(way.length ? way.slice(begin + 1) : [])];
      const last = points[points.length - 1];
      if (Math.abs(last[0] - there.x) > 1 || Math.abs(last[1] - there.y) > 1) points.push([there.x, there.y]);
      const steps = Math.max(1, points.reduce((sum, p, i) => (i ? sum + (Math.abs(p[0] - points[i - 1][0]) + Math.abs(p[1] - points[i - 1][1])) / STRETCH : 0), 0));
      const duration = Math.min(MARCH, STEP * steps);
      there.unit.animate(points.map(([x, y]) => ({ transform: `translate(${x}px, ${y}px)` })), { duration, delay, fill: "backwards", easing: "linear" });
      delay += duration;
    }
    const hurt = [...now].filter(([key, there]) => before.has(key) && there.hp < before.get(key).hp);
    const gone = [...before].filter(([key]) => !now.has(key));
    const firers = [...now].filter(([key, there]) => there.fired && before.has(key) && !before.get(key).fired);
    if (!hurt.length && !firers.length) return;
    const layer = svg("svg", { class: "board board-layer", viewBox: byId("units").getAttribute("viewBox"), "aria-hidden": "true" });
    byId("units").parentElement.append(layer);
    for (const [, firer] of firers) {
      for (const [, target] of [...hurt, ...gone]) {
        if (target.side === firer.side) continue;
        const shot = svg("path", { class: "fx-shot", d: `M${firer.x} ${firer.y}L${target.x} ${target.y}` });
        layer.append(shot);
        shot.animate([{ opacity: 0 }, { opacity: 1 }, { opacity: 0 }], { duration: SHOT * 3, delay, fill: "both" });
      }
    }
    for (const [key, there] of hurt) {
      const loss = (before.get(key).hp - there.hp).toString().replace(/^0\.5$/, "½").replace(".5", "½");
      const tag = svg("g", {});
      tag.append(svg("rect", { x: there.x - 17, y: there.y - 33, width: 34, height: 19, rx: 4, class: "fx-loss" }));
      const text = svg("text", { x: there.x, y: there.y - 18.5, class: "fx-loss-t" });
      text.textContent = `−${loss}`;
      tag.append(text);
      layer.append(tag);
      tag.animate([{ opacity: 0 }, { opacity: 1, offset: 0.15 }, { opacity: 1, offset: 0.8 }, { opacity: 0 }], { duration: LOSS * 3, delay: delay + SHOT, fill: "both" });
    }
    setTimeout(() => layer.remove(), delay + SHOT + LOSS * 3 + 50);
  }

  function svg(name, attributes) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
    return made;
  }

  // ------------------------------------------------------------------ clocks

  const told = new Set();

  function tick() {
    const drawn = drawClock();
    if (!drawn) return;
    const { clock, running, left, text } = drawn;
    root.querySelectorAll("[data-clock-echo]").forEach((echo) => { if (echo.textContent !== text) echo.textContent = text; });
    clock.classList.toggle("late", running && left <= 10);
    if (!running) return;
    for (const mark of [60, 30, 10]) {
      const key = `${clock.dataset.key} ${mark}`;
      if (left <= mark && left > mark - 2 && !told.has(key)) { told.add(key); say(root.dataset.sayClock.replace("{}", mark)); }
    }
  }
  setInterval(tick, 250);

  // ------------------------------------------------------------------ the line

  let away = 0, awaySince = "", newestThen = newest, offTimer = 0;

  function show(state) {
    line = state;
    showLine(state);
    if (state === "off") notice(root.dataset.sayOffline.replace("{}", awaySince));
    mark();
  }

  function notice(text) {
    const box = byId("offline");
    box.hidden = !text;
    box.querySelector("[data-text]").textContent = text;
    box.querySelector(".conn").hidden = line !== "off";
  }

  function lost() {
    if (away) return;
    away = performance.now();
    awaySince = new Date().toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
    newestThen = newest;
    show("slow");
    offTimer = setTimeout(() => { if (away) show("off"); }, 1000);
  }

  function found() {
    const was = line === "off";
    clearTimeout(offTimer);
    away = 0;
    show("live");
    notice("");
    if (new URLSearchParams(byId("orders").dataset.query).toString() !== new URLSearchParams(selection).toString()) load();
    if (was) setTimeout(() => {
      const missed = newest - newestThen;
      if (missed > 0) { notice(root.dataset.sayNews.replace("{}", missed)); setTimeout(() => { if (!away) notice(""); }, 8000); }
    }, 600);
  }

  document.addEventListener("htmx:wsOpen", (event) => {
    wrapper = event.detail.socketWrapper;
    socketElement = event.detail.elt || root;
    lastBeat = performance.now();
    found();
  });
  document.addEventListener("htmx:wsClose", (event) => {
    const code = event.detail.event?.code;
    if (code === 4401 || code === 4403) { location.reload(); return; }
    lost();
  });
  document.addEventListener("htmx:wsError", lost);
  addEventListener("offline", lost);

  let late = 0;
  document.addEventListener("htmx:wsBeforeMessage", (event) => {
    event.preventDefault();
    const message = event.detail.message;
    if (message.startsWith("{")) return;
    wrapper = event.detail.socketWrapper || wrapper;
    if (message.includes('id="heartbeat"')) beat(message);
    if (!message.includes('id="live"')) return;
    if (apply(message)) {
      if (edited()) return;
      clearTimeout(late);
      late = setTimeout(load, 60);
    }
  });

  function beat(message) {
    const heart = parse(message).querySelector("#heartbeat");
    if (!heart) return;
    lastBeat = performance.now();
    if (away) found();
    else if (line !== "live") show("live");
    const theirs = hear(heart, wrapper, socketElement);
    if (theirs > version) setTimeout(() => { if (theirs > version) refresh(); }, 400);
    if (!message.includes('id="live"')) byId("heartbeat")?.replaceWith(heart);
  }

  // A line that is open but says nothing is slow, then lost; while it is, the page asks by itself.
  setInterval(() => {
    const silence = performance.now() - lastBeat;
    if (line === "live" && silence > 7000) show("slow");
    if (line === "slow" && !away && silence > 15000) lost();
  }, 1000);
  document.addEventListener("visibilitychange", () => { if (!document.hidden && performance.now() - lastBeat > 5000) refresh(); });

  // ------------------------------------------------------------------ the frame of the board

  const scroller = root.querySelector(".board-scroll");
  const stack = root.querySelector(".board-stack");

  function zoomTo(on) {
    stack.classList.toggle("zoomed", on);
    root.querySelectorAll("[data-zoom]").forEach((button) => button.setAttribute("aria-pressed", String(on)));
    try { sessionStorage.setItem("board-zoom", on ? "1" : ""); } catch { /* private mode */ }
    follow(true);
  }

  // On a narrow screen the board is brought to the selected unit.
  function follow(force = false) {
    if (!scroller || scroller.scrollWidth <= scroller.clientWidth + 1) return;
    const unit = chosenUnit();
    const block = unit ? root.querySelector(`#units .unit[data-key="${CSS.escape(unit)}"]`) : force ? root.querySelector(`#units .unit.side-${side() || "red"}`) : null;
    if (!block) return;
    const box = block.getBoundingClientRect(), frame = scroller.getBoundingClientRect();
    const hidden = box.left < frame.left + 30 || box.right > frame.right - 30;
    if (hidden || force) scroller.scrollLeft += box.left + box.width / 2 - frame.left - frame.width / 2;
  }

  root.querySelectorAll("[data-zoom]").forEach((button) => { button.hidden = false; });
  let zoomed = "";
  try { zoomed = sessionStorage.getItem("board-zoom") || ""; } catch { /* private mode */ }
  if (zoomed) zoomTo(true);
  else follow(true);
  history.replaceState({ battle: true }, "", location.href);
  show("slow");
  tick();
  root.dataset.ready = "";
})();
