/**
 * The frame around a page where an agent works, with the stop button. It is never indexed and never in the way.
 * Nothing in it moves: a page that is redrawn all the time takes a tenth of a core, and doubles the time for a
 * screenshot.
 */

import type { PageRequest } from "./api";

export const BADGE_ATTRIBUTE = "data-handrail-badge";

const STYLE = `
  :host { all: initial; position: fixed; inset: 0; width: auto; height: auto; margin: 0; padding: 0; border: 0; background: none;
    overflow: visible; pointer-events: none; z-index: 2147483647; color-scheme: light dark; will-change: opacity; }
  :host([popover]:not(:popover-open)) { display: none; }
  .edge { position: absolute; inset: 0; border: 3px solid #d9822b; border-radius: 4px; box-shadow: inset 0 0 14px #d9822b66; box-sizing: border-box; }
  .paused .edge { border-color: #4a8f87; box-shadow: inset 0 0 14px #4a8f8766; }
  .bar { position: absolute; right: 12px; bottom: 12px; display: flex; align-items: center; gap: 10px; padding: 6px 6px 6px 12px; border-radius: 999px;
    font: 13px/1.3 ui-sans-serif, system-ui, "Segoe UI", "PingFang SC", "Noto Sans CJK SC", sans-serif;
    color: light-dark(#1f1d1a, #f0ede6); background: light-dark(#ffffff, #26231f); box-shadow: 0 1px 2px #0003, 0 6px 20px #0004; }
  .dot { width: 8px; height: 8px; border-radius: 50%; background: #d9822b; }
  .paused .dot { background: #4a8f87; }
  button { all: unset; pointer-events: auto; cursor: pointer; padding: 4px 12px; border-radius: 999px; font-weight: 600; color: #fff; background: #ab362a; }
  button:hover { background: #8f2a20; }
  button:focus-visible { outline: 2px solid #1f6fd0; outline-offset: 2px; }
  .aside button { pointer-events: none; }
`;

let host: HTMLElement | null = null;
let body: HTMLElement | null = null;

export const covers = (element: Element): boolean => element === host;

/** Lets a click of the agent through at the place of the stop button, until the next change of state. */
export function stepAside(): void {
  body?.classList.add("aside");
}

export function comeBack(): void {
  body?.classList.remove("aside");
}

/**
 * The badge stays hidden for a moment, so that a series of pictures finds it hidden already; it returns even if
 * nothing asks for that.
 */
const BACK_AFTER_MS = 1000;
const HIDDEN_FOR_MS = 15_000;
let coming: ReturnType<typeof setTimeout> | undefined;

/** The badge has a layer of its own, so making it transparent redraws nothing of the page. */
export function hideBadge(isHidden: boolean): void {
  const turn = (opacity: "0" | "1"): void => host?.style.setProperty("opacity", opacity, "important");
  clearTimeout(coming);
  if (isHidden) turn("0");
  coming = setTimeout(() => turn("1"), isHidden ? HIDDEN_FOR_MS : BACK_AFTER_MS);
}

export function showBadge({ state, texts }: PageRequest<"badge">): void {
  if (window.parent !== window) return;
  if (state === "none") {
    host?.remove();
    host = body = null;
    return;
  }
  if (!host?.isConnected) build();
  body!.className = state;
  body!.querySelector(".text")!.textContent = texts[state];
  const button = body!.querySelector("button")!;
  button.textContent = texts.stop;
  button.setAttribute("aria-label", texts.stop);
}

function build(): void {
  host = document.createElement("div");
  host.setAttribute(BADGE_ATTRIBUTE, "");
  const root = host.attachShadow({ mode: "closed" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  body = document.createElement("div");
  for (const [tag, name] of [["div", "edge"], ["div", "bar"]] as const) body.append(Object.assign(document.createElement(tag), { className: name }));
  const button = document.createElement("button");
  button.type = "button";
  // A page can fake a click; only a real one stops the work.
  button.addEventListener("click", (event) => event.isTrusted && void chrome.runtime.sendMessage({ type: "page/stop" }));
  body.querySelector(".bar")!.append(
    Object.assign(document.createElement("span"), { className: "dot" }),
    Object.assign(document.createElement("span"), { className: "text" }),
    button,
  );
  body.querySelector(".bar")!.setAttribute("role", "status");
  root.append(body);
  document.documentElement.append(host);
  // The top layer is above a page's own dialogs; in a document without popovers the frame is still shown.
  if (typeof host.showPopover === "function") {
    host.popover = "manual";
    host.showPopover();
  }
}
