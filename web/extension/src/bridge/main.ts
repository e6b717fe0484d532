/** Passes two requests from local pages to the worker: who is here, and pair with me. It can't trigger any action. */

type Question = { type?: unknown; requestId?: unknown; code?: unknown; server?: unknown } | null;

const PROBES = ["mimo/get_plugin_client_info", "mimoim/get_bion_client_info"];
const PAIR = "mimo/pair";
const LOCAL = /^http:\/\/(127\.0\.0\.1|localhost)(:\d{1,5})?$/;

async function ask(message: object): Promise<unknown> {
  try {
    return await chrome.runtime.sendMessage(message);
  } catch {
    return { ok: false, error: "the extension was updated; load the page again" };
  }
}

function answer(question: { type: string; requestId: unknown }, payload: unknown): void {
  window.postMessage({ type: `${question.type}_result`, requestId: question.requestId, payload }, location.origin);
}

async function receive(event: MessageEvent): Promise<void> {
  // Accepts only messages of this very window at a local address, not of a frame in it or its opener.
  if (event.source !== window || event.origin !== location.origin || !LOCAL.test(event.origin)) return;
  const { type, requestId, code, server } = (event.data as Question) ?? {};
  if (typeof type !== "string") return;
  if (PROBES.includes(type)) answer({ type, requestId }, await ask({ type: "bridge/probe" }));
  if (type !== PAIR) return;
  // Pairing needs a recent click by a person, which a page can't fake.
  if (!navigator.userActivation.isActive) answer({ type, requestId }, { ok: false, error: "pairing needs a click" });
  else answer({ type, requestId }, await ask({ type: "bridge/pair", server, code }));
}

/**
 * A page that loads while the extension is being installed gets this script twice; the second must not listen as well.
 */
const world = globalThis as { handrailListener?: (event: MessageEvent) => void };

if (window === window.top) {
  if (world.handrailListener) window.removeEventListener("message", world.handrailListener);
  world.handrailListener = (event) => void receive(event);
  window.addEventListener("message", world.handrailListener);
}
