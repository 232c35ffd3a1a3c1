// What every page shares: quick reconnection, the switch of colours without a reload, menus that close.
"use strict";

if (window.htmx) {
  htmx.config.wsReconnectDelay = (tries) => Math.min(3000, 400 * 2 ** tries) * (0.5 + Math.random() / 2);
}

// The colours change in place, so that a half-made order survives; without script the form goes to the server and back.
document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-theme-form]");
  if (!form) return;
  event.preventDefault();
  const field = form.elements.namedItem("theme");
  const chosen = field.value;
  try {
    const answer = await fetch(form.action, { method: "POST", body: new FormData(form), redirect: "manual" });
    if (answer.type !== "opaqueredirect" && !answer.ok) throw new Error(String(answer.status));
  } catch {
    form.submit();
    return;
  }
  document.documentElement.setAttribute("data-bs-theme", chosen);
  const other = chosen === "dark" ? "light" : "dark";
  document.querySelectorAll("form[data-theme-form]").forEach((each) => {
    each.elements.namedItem("theme").value = other;
    each.querySelector("button").setAttribute("aria-label", each.getAttribute(`data-to-${other}`));
    each.querySelectorAll("[data-icon]").forEach((icon) => { icon.hidden = icon.dataset.icon !== other; });
  });
});

// A menu closes when one clicks elsewhere or presses Escape.
const openMenus = () => document.querySelectorAll("details.drop[open]");
document.addEventListener("click", (event) => {
  openMenus().forEach((menu) => { if (!menu.contains(event.target)) menu.open = false; });
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  openMenus().forEach((menu) => { menu.open = false; menu.querySelector("summary").focus(); });
});
