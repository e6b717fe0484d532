/**
 * Reports to the agent that a page asks for a permission: camera, location, notifications and so on. Chrome shows the
 * question only to the person, and no agent action can reach it. For this, the page's own functions are wrapped; a
 * page that gets around that is only not reported.
 */

import { onAttached, onDebuggerEvent, send } from "./debuggee";
import { logOf } from "./observation";

const CALLED: Record<string, string> = {
  camera: "the camera", microphone: "the microphone", geolocation: "your location", notifications: "notifications", "clipboard-read": "the clipboard",
  midi: "MIDI devices", screen: "a picture of your screen", device: "a device",
};
/** A new name in each worker, so that a page can't use one that it kept from an earlier worker. */
const BINDING = `handrail_${crypto.randomUUID().replaceAll("-", "")}`;

export function watchPermissions(): void {
  onAttached((tabId) => {
    const source = `(${wrap.toString()})(${JSON.stringify(BINDING)})`;
    void send(tabId, "Runtime.addBinding", { name: BINDING })
      .then(() => send(tabId, "Page.addScriptToEvaluateOnNewDocument", { source, runImmediately: true }))
      .catch(() => undefined);
  });
  onDebuggerEvent((tabId, method, params) => {
    if (method !== "Runtime.bindingCalled" || params["name"] !== BINDING) return;
    const what = CALLED[params["payload"] as string];
    if (what) logOf(tabId).dialogs.push({ type: "permission", message: `The page asks for ${what}. Only the person can answer that, in the browser.` });
  });
}

/** Serialised and run in the page, so it can't use anything from this module. */
function wrap(binding: string): void {
  const world = globalThis as unknown as Record<string, unknown>;
  const tell = world[binding] as ((kind: string) => void) | undefined;
  delete world[binding];
  if (!tell) return;
  const { permissions, mediaDevices, clipboard, geolocation } = navigator;
  const query = permissions?.query.bind(permissions);
  const ask = (kinds: string[]): void => {
    for (const name of kinds) {
      // A permission that was decided before isn't asked for again.
      if (name === "screen" || name === "device" || !query) tell(name);
      else void query({ name: name as PermissionName }).then(({ state }) => (state === "prompt" ? tell(name) : undefined), () => undefined);
    }
  };
  const watch = (holder: object | undefined, method: string, kinds: (given: any[]) => string[]): void => {
    const real = holder && (Reflect.get(holder, method) as unknown);
    if (!holder || typeof real !== "function") return;
    const apply = (target: unknown, self: unknown, given: any[]): unknown => {
      try {
        ask(kinds(given));
      } catch {
        // The page's own call must not fail because of ours.
      }
      return Reflect.apply(target as () => unknown, self, given);
    };
    Object.defineProperty(Object.hasOwn(holder, method) ? holder : Object.getPrototypeOf(holder), method, { value: new Proxy(real, { apply }), configurable: true, enumerable: true, writable: true });
  };
  watch(mediaDevices, "getUserMedia", ([wanted]) => [...(wanted?.video ? ["camera"] : []), ...(wanted?.audio ? ["microphone"] : [])]);
  watch(mediaDevices, "getDisplayMedia", () => ["screen"]);
  for (const method of ["getCurrentPosition", "watchPosition"]) watch(geolocation, method, () => ["geolocation"]);
  for (const method of ["read", "readText"]) watch(clipboard, method, () => ["clipboard-read"]);
  watch(world["Notification"] as object | undefined, "requestPermission", () => ["notifications"]);
  watch(navigator, "requestMIDIAccess", () => ["midi"]);
  for (const kind of ["bluetooth", "usb", "serial", "hid"]) {
    const devices = (navigator as unknown as Record<string, object | undefined>)[kind];
    for (const method of ["requestDevice", "requestPort"]) watch(devices, method, () => ["device"]);
  }
}
