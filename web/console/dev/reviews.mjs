/** What an agent left in its cage, from memory. */
const lines = (start, count) => Array.from({ length: count }, (_, at) => `  const row${start + at} = read(${start + at});`);

const FILES = {
  "src/shop.ts": {
    conflict: "you edited the same places as the agent",
    draft: "<<<<<<< yours\n  const limit = 12; // the warehouse's number\n=======\n  const limit = 25;\n>>>>>>> the agent's\n",
    hunks: [
      { place: 0, state: "open", startOld: 12, startNew: 12, before: lines(9, 3), old: ["  return price * 1.19;"], new: ["  const rate = rates.get(country) ?? 0.19;", "  return price * (1 + rate);"], after: lines(13, 3) },
      { place: 1, state: "open", startOld: 40, startNew: 41, before: lines(37, 3), old: [], new: ["  audit.add({ order, rate });"], after: lines(40, 3) },
      { place: 2, state: "conflict", startOld: 71, startNew: 73, before: lines(68, 3), old: ["  const limit = 10;"], new: ["  const limit = 25;"], after: lines(72, 3), yours: [{ startOld: 71, old: ["  const limit = 10;"], new: ["  const limit = 12; // the warehouse's number"] }] },
    ],
  },
  "package.json": { hunks: [{ place: 0, state: "open", startOld: 6, startNew: 6, before: ['  "scripts": {'], old: ['    "test": "vitest"'], new: ['    "test": "vitest",', '    "postinstall": "node scripts/setup.mjs"'], after: ["  }"] }] },
  "docs/tax.md": { isWhole: true, hunks: [{ place: 0, state: "open", startOld: 1, startNew: 1, old: [], new: ["# Tax", "", "Rates are read from `rates.json`."] }] },
  "old/legacy.ts": { isWhole: true, hunks: [{ place: 0, state: "open", startOld: 1, startNew: 1, old: lines(1, 4), new: [] }] },
  "logo.png": { isWhole: true, isBinary: true, hunks: [] },
};

const ITEMS = [
  { path: "src/shop.ts", group: "tracked", status: "modified", added: 4, removed: 2, hunks: 3, conflict: "you edited the same places as the agent", conflictKind: "hunks" },
  { path: "package.json", group: "tracked", status: "modified", added: 2, removed: 1, hunks: 1, runsLater: "its scripts run on npm commands" },
  { path: "old/legacy.ts", group: "tracked", status: "deleted", removed: 4 },
  { path: "docs/tax.md", group: "new", status: "added", added: 3, renamedFrom: "notes/tax.md" },
  { path: "logo.png", group: "binary", status: "modified", size: 20_480 },
  { path: "node_modules", group: "ignored", status: "added", files: 4211, size: 98_000_000 },
  { path: "key\u202egnp.txt", group: "refused", status: "other", refused: "it is a link to '/home/you/.ssh/id_ed25519', which leads out of the project; make links yourself" },
];

export function reviews() {
  const state = { runs: [], items: [], taken: [], isStale: false };
  function fill() {
    state.runs = [{ id: "20261117-101500-0a1b2c", client: "claude", command: ["claude"], startedAt: "2026-11-17T10:15:00+00:00", endedAt: "2026-11-17T10:42:10+00:00", changes: ITEMS.length }];
    state.items = ITEMS.map((item) => ({ ...item, digest: item.refused || item.files ? undefined : `digest of ${item.path}` }));
  }
  fill();

  function answer(method, path, query, body) {
    if (path === "/reviews") return { reviews: state.runs };
    const what = /^\/reviews\/[^/]+(?:\/(\w+))?$/.exec(path)?.[1] ?? "items";
    if (what === "items") return { items: state.items };
    if (what === "file") return { path: query.get("path"), digest: `digest of ${query.get("path")}`, ...FILES[query.get("path")] };
    if (what === "commits") return { commits: [{ id: "4f1d2c3b5a6978877665544332211000aabbccdd", subject: "Read tax rates per country", message: "Read tax rates per country", author: "Claude <noreply@example.org>", date: "2026-11-17T10:40:00+00:00", stat: " src/shop.ts | 6 ++++--\n 1 file changed, 4 insertions(+), 2 deletions(-)" }] };
    if (what === "discard") state.runs = [];
    if (what === "take" && state.isStale) return undefined;
    if (what === "take") {
      state.taken.push(body);
      const whole = new Set((body.items ?? []).filter((item) => !item.hunks || item.settled).map((item) => item.path));
      state.items = state.items.filter((item) => !whole.has(item.path));
      return { result: { taken: body.items?.length ?? 1, paths: [...whole] }, executionId: "exec_0a1b2c3d4e5f60718293a4b5" };
    }
    return {};
  }
  return { state, fill, answer };
}
