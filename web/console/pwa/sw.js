/**
 * The console's service worker: a page for when the server is away, and notifications.
 *
 * It stores only the files below, which are the same for everybody, and answers only requests for pages. Calls to the
 * server (/api, /socket.io, /mcp) pass it by, so it never sees the page's secret, and it can't answer an approval.
 */
const CACHE = "handrail-offline-1";
const OFFLINE = "/offline.html";
const FILES = [OFFLINE, "/offline.css", "/icon-192.png"];
const INBOX = "/#/inbox";

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const others = async () => (await caches.keys()).filter((name) => name !== CACHE);
  event.waitUntil(others().then((names) => Promise.all(names.map((name) => caches.delete(name)))).then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin) return;
  if (request.mode === "navigate") event.respondWith(fetch(request).catch(() => caches.match(OFFLINE)));
  else if (FILES.includes(url.pathname)) event.respondWith(fetch(request).catch(() => caches.match(url.pathname)));
});

self.addEventListener("push", (event) => {
  const { title = "handrail", body = "", tag = "handrail", url = INBOX } = read(event.data);
  event.waitUntil(self.registration.showNotification(title, { body, tag, icon: "/icon-192.png", badge: "/icon-192.png", renotify: true, data: { url } }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(show(event.notification.data?.url));
});

function read(data) {
  try {
    return data?.json() ?? {};
  } catch {
    return {};
  }
}

/** Shows an open page of ours, or a new one; never another origin's. */
async function show(wanted) {
  const url = new URL(wanted ?? INBOX, self.location.origin);
  const path = url.origin === self.location.origin ? url.href : new URL(INBOX, self.location.origin).href;
  const [open] = await self.clients.matchAll({ type: "window" });
  if (!open) return self.clients.openWindow(path);
  await open.focus();
  open.postMessage({ type: "show", hash: new URL(path).hash });
}
