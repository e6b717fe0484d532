/** Simulated rules, agents and edited grants. */
import { randomUUID } from "node:crypto";

const PROJECT = "/home/you/my-webgal-game";
const FILES = ["game/scene/beach_date.txt", "game/scene/start.txt", "game/scene/end.txt", "README.md"];

export function permissions() {
  const state = {
    agents: [
      { id: "claude.3f2a1b", name: "claude", identity: "agent:claude.3f2a1b", createdAt: "2026-01-09T08:00:00+00:00", lastSeen: "2026-01-11T09:30:00.000Z" },
      { id: "nightly-ci.99aa00", name: "nightly-ci", identity: "agent:nightly-ci.99aa00", createdAt: "2026-01-02T08:00:00+00:00", lastSeen: null },
    ],
    rules: [
      { id: "r1", kind: "rule", decision: "allow", tool: "{write_to_file,replace_in_file}", path: "game/scene/*", project: PROJECT, agent: "agent:claude.3f2a1b", used: 3, lastUsed: "2026-01-11T09:30:00.000Z" },
      { id: "r2", kind: "rule", decision: "allow", effect: "UI_CONTROL", place: "http://localhost:5173", until: "2026-02-28" },
      { id: "r3", kind: "rule", decision: "deny", tool: "*", host: "*.bank.example" },
      { id: "r4", kind: "task", decision: "allow", tool: "write_to_file", path: "README.md", project: PROJECT, agent: "agent:claude.3f2a1b", task: "beach", caller: "claude", by: "console:you" },
    ],
    removed: [],
    trusted: [{ hash: "cd".repeat(32), path: "/home/you/shop/.handrail/policy.json", project: "/home/you/shop", at: "2026-01-10T08:00:00+00:00", used: 12, lastUsed: "2026-01-11T09:30:00.000Z" }],
    needsPresence: false,
    issued: [],
  };
  return {
    state,
    rules(method, path) {
      if (method === "POST") state.rules = [...state.rules, ...state.removed.splice(0)];
      if (method === "DELETE") {
        state.removed = state.rules.filter(({ id }) => id === path.split("/").at(-1));
        state.rules = state.rules.filter(({ id }) => id !== path.split("/").at(-1));
      }
      return { rules: state.rules, uses: { aaaaaaaaaaaa: { used: 41, lastUsed: "2026-01-11T09:30:00.000Z" }, "agent:claude.3f2a1b": { used: 7, lastUsed: "2026-01-11T09:30:00.000Z" } } };
    },
    trusted(method) {
      if (method === "DELETE") state.removed = state.trusted.splice(0);
      if (method === "POST") state.trusted = state.removed.splice(0);
      return { trusted: state.trusted };
    },
    addAgent({ name, presence }) {
      if (state.needsPresence && presence?.kind !== "window") return [null, { reason: "presence", command: `handrail agents add ${name}`, window: { name: "Chromium 156 on Linux" } }];
      const id = `${name}.${randomUUID().slice(0, 6)}`;
      state.agents.push({ id, name, identity: `agent:${id}`, createdAt: "2026-01-11T10:00:00+00:00", lastSeen: null });
      state.issued.push(name);
      return [{ id, name, token: "hra_the-token-that-is-shown-once" }, null];
    },
    removeAgent(id) {
      state.removed = state.agents.filter((agent) => agent.id === id);
      state.agents = state.agents.filter((agent) => agent.id !== id);
    },
    restoreAgent() {
      state.agents = [...state.agents, ...state.removed.splice(0)];
    },
    /** Supports only the patterns that are needed here: `*` and `**`. */
    preview(prompt, { scope, grant }) {
      const offered = prompt.offers.find((offer) => offer.scope === scope);
      const kept = { ...offered.grant, ...grant };
      const source = kept.path.replace(/[.+()|^$]/g, "\\$&").replaceAll("**", "\0").replaceAll("*", "[^/]*").replaceAll("\0", ".*");
      const names = FILES.filter((file) => new RegExp(`^${source}$`).test(file));
      if (!names.includes(offered.grant.path)) return { problem: "must cover the path that was shown" };
      return {
        scope, grant: kept, what: `write_to_file file "${kept.path}"`, where: kept.project === "*" ? "every project" : `"${kept.project}"`,
        who: kept.identity === "*" ? "every agent" : offered.who, until: kept.until ?? "you remove the rule", needsPresence: kept.until === undefined,
        rule: { decision: "allow", tool: "write_to_file", path: kept.path, below: false }, files: { count: names.length, names: names.slice(0, 3), isWhole: true },
      };
    },
  };
}
