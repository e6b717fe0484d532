/** A simulated browser page: two plugins, their windows, tasks, and a picture with an index. */
import { deflateSync } from "node:zlib";

const CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36";
export const TASK = "01J00000000000000000000000";
const OTHER = "01J00000000000000000000001";
const plugin = (clientId, more) => ({
  clientId, extensionId: "baoanimhflihpgcnepaoljokhdpilplm", extensionName: "handrail", ua: CHROME, version: "0.2.0", browserName: "chrome",
  allowOtherClient: false, socketConnected: true, healthy: true, selected: false, chosen: false, lastSeenAt: Date.now(), ...more,
});
const tab = (tabId, title, url, more) => ({ tabId, windowId: 1, title, url, status: "complete", active: false, pinned: false, hidden: false, index: tabId, ...more });

export function browsing() {
  const state = { plugins: [], tasks: [], snapshots: new Map(), views: new Map(), pairings: [], codes: 0, acted: [] };

  function fill() {
    const now = Date.now();
    state.plugins = [plugin("plugin-a", { selected: true }), plugin("plugin-b", { browserName: "edge", socketConnected: false, healthy: false, lastSeenAt: now - 86_400_000 })];
    state.pairings = [{ clientId: "plugin-a", extensionId: "x", name: "chrome", createdAt: now - 3_600_000, socketConnected: true }];
    state.tasks = [
      { taskId: TASK, title: "Find a quiet hotel", status: "running", createdAt: now - 60_000, updatedAt: now, selectedClientId: "plugin-a" },
      { taskId: OTHER, title: "Fill the tax form draft", status: "takeover", createdAt: now - 90_000, updatedAt: now - 80_000, selectedClientId: "plugin-b" },
    ];
    state.snapshots.set("plugin-a", {
      windows: [{ windowId: 1, focused: true, type: "normal" }, { windowId: 2, focused: false, type: "normal" }],
      tabs: [
        tab(1, "Mail", "https://mail.example/", { pinned: true }),
        tab(2, "Hotels by the sea – a very long title that goes on and on", "https://hotels.example/search?place=sea", { active: true, groupId: 7, taskId: TASK }),
        tab(3, "Map\u202e", "https://map.example/", { groupId: 7, status: "loading" }),
        tab(4, "Notes", "https://notes.example/", { windowId: 2, active: true }),
      ],
      tabGroups: [{ id: 7, collapsed: false, color: "purple", title: "Hotel", windowId: 1 }],
      activeWindowId: 1, activeTabId: 2, lastUpdated: now,
    });
    state.views.set(TASK, {
      taskId: TASK, artifactId: "art-1", tabId: 2, width: 1280, height: 800, takenAt: now - 2000, indexedAt: now - 4000, url: "https://hotels.example/search?place=sea",
      elements: [
        { clickId: "1", tag: "a", role: "link", name: "Home", bbox: { x: 20, y: 16, w: 80, h: 24 } },
        { clickId: "2", tag: "input", role: "searchbox", name: "Where to?", bbox: { x: 320, y: 120, w: 480, h: 44 } },
        { clickId: "3", tag: "button", role: "button", name: "Search", bbox: { x: 816, y: 120, w: 128, h: 44 } },
        { clickId: "f1:4", tag: "button", name: "Map", bbox: { x: 1200, y: 740, w: 120, h: 80 } },
      ],
    });
  }

  /** The response to a request of the browser page, or undefined. */
  function answer(method, path, query, body, tell) {
    if (path === "/extension/extension-list") return state.plugins;
    if (path === "/extension/pair-code") return { code: `code-${++state.codes}`, expiresAt: Date.now() + 600_000 };
    if (path === "/extension/tokens") return state.pairings;
    if (path.startsWith("/extension/tokens/") && path.endsWith("/restore")) {
      state.pairings = [...state.pairings, ...state.revoked.splice(0)];
      return { revoked: true };
    }
    if (path.startsWith("/extension/tokens/") && method === "DELETE") {
      state.revoked = state.pairings.filter(({ clientId }) => clientId === decodeURIComponent(path.split("/").at(-1)));
      state.pairings = state.pairings.filter(({ clientId }) => clientId !== decodeURIComponent(path.split("/").at(-1)));
      return { revoked: true };
    }
    if (path === "/snapshot") {
      const clientId = query.get("clientId") ?? state.plugins.find(({ selected }) => selected)?.clientId;
      const known = state.snapshots.get(clientId);
      const isThere = state.plugins.some((one) => one.clientId === clientId && one.socketConnected);
      return known ? { ...known, connected: isThere, ageMs: Date.now() - known.lastUpdated, stale: !isThere, clientId } : { windows: [], tabs: [], tabGroups: [], activeWindowId: null, activeTabId: null, lastUpdated: 0, connected: false, ageMs: 0, stale: true };
    }
    if (path === "/extension/chosen") {
      for (const one of state.plugins) one.chosen = one.clientId === body.clientId;
      for (const one of state.plugins) one.selected = one.chosen && one.socketConnected;
      return state.plugins.find(({ chosen }) => chosen);
    }
    const [, moved] = /^\/task\/([^/]+)\/plugin$/.exec(path) ?? [];
    if (moved) {
      const task = state.tasks.find((one) => one.taskId === moved);
      return Object.assign(task, { selectedClientId: body.clientId, updatedAt: Date.now() });
    }
    const [, read] = /^\/task\/([^/]+)\/reading$/.exec(path) ?? [];
    if (read) return Object.assign(state.tasks.find((one) => one.taskId === read), { reading: body.allowed, updatedAt: Date.now() });
    const [, taskId, verb] = /^\/task\/([^/]+)\/(takeover|handback|stop)$/.exec(path) ?? [];
    if (verb) {
      const task = state.tasks.find((one) => one.taskId === taskId);
      Object.assign(task, { status: { takeover: "takeover", handback: "ongoing", stop: "completed" }[verb], updatedAt: Date.now() });
      tell("browsing", { tasks: [task], windows: [] });
      return task;
    }
    if (path === "/browser/view") return state.views.get(query.get("taskId")) ?? { taskId: query.get("taskId"), elements: [] };
    if (path === "/browser/act") {
      state.acted.push(body);
      return { status: "success", result: {}, warnings: [], taskId: body.taskId };
    }
    return undefined;
  }
  return { state, fill, answer };
}

/** A one-colour picture with a band across it, as PNG. */
export function picture(width, height) {
  const row = (y) => Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, y < 64 ? 0xff : 0xe8)]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, (_, y) => row(y))));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
}

function chunk(name, data) {
  const body = Buffer.concat([Buffer.from(name), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  body.copy(whole, 4);
  whole.writeUInt32BE(crc(body), body.length + 4);
  return whole;
}

function crc(bytes) {
  let rest = 0xffffffff;
  for (const byte of bytes) {
    rest ^= byte;
    for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  }
  return (rest ^ 0xffffffff) >>> 0;
}
