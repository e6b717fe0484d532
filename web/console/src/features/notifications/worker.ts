/** The service worker, which shows a page while the server is offline, and notifications (`pwa/sw.js`). */

const FILE = "/sw.js";

export const hasPush = (): boolean => "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

/** The console also works in a browser without service workers. */
export async function keepWorker(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  navigator.serviceWorker.addEventListener("message", ({ data }: MessageEvent<{ type?: string; hash?: string }>) => {
    if (data?.type === "show" && data.hash) location.hash = data.hash;
  });
  await navigator.serviceWorker.register(FILE).catch(() => undefined);
}

export async function currentSubscription(): Promise<PushSubscription | null> {
  if (!hasPush()) return null;
  const registration = await navigator.serviceWorker.getRegistration(FILE);
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** Asks the person for permission, then the browser's push service. */
export async function subscribe(publicKey: string): Promise<PushSubscription> {
  const registration = await navigator.serviceWorker.register(FILE);
  await navigator.serviceWorker.ready;
  const old = await registration.pushManager.getSubscription();
  if (old && !isFor(old, publicKey)) await old.unsubscribe();
  return await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
}

function isFor(subscription: PushSubscription, publicKey: string): boolean {
  const key = subscription.options.applicationServerKey;
  if (!key) return false;
  const spelled = btoa(String.fromCharCode(...new Uint8Array(key)));
  return spelled.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "") === publicKey;
}
