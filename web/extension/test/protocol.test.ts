import { readFileSync } from "node:fs";
import { beforeAll, expect, test, vi } from "vitest";
import type { Action } from "../src/worker/action";

interface Declared { timeoutMs: number; isIdempotent: boolean; acts: boolean; params: { properties: Record<string, unknown>; required: string[] } }

const declared = (JSON.parse(readFileSync(new URL("../../protocol/protocol.json", import.meta.url), "utf8")) as { actions: Record<string, Declared> }).actions;
let catalogue: ReadonlyMap<string, Action>;

beforeAll(async () => {
  const event = { addListener: () => undefined };
  const any: unknown = new Proxy(() => undefined, { get: (_, name) => (name === "then" ? undefined : name === "session" || name === "local" ? { get: async () => ({}), set: async () => undefined } : String(name).startsWith("on") ? event : any) });
  vi.stubGlobal("chrome", any);
  catalogue = (await import("../src/actions/catalogue")).CATALOGUE;
});

test("every action that the server declares exists and accepts the server's parameters", () => {
  expect([...catalogue.keys()].sort()).toEqual(Object.keys(declared).sort());
  for (const [name, action] of catalogue) {
    const sent = Object.keys(declared[name]!.params.properties).filter((key) => !["timeoutMs", "expected", "frameOrigins"].includes(key));
    expect([name, Object.keys(action.params).sort()]).toEqual([name, sent.sort()]);
  }
});

test.each(["browser_navigate", "browser_hover", "browser_reload", "browser_select_option", "browser_tab_close", "browser_upload"])("%s is not repeated when nobody knows whether it was done", (name) => {
  expect(catalogue.get(name)!.isIdempotent).toBe(false);
});

test("an upload's timeout is the server's", () => {
  expect(catalogue.get("browser_upload")!.execMs).toBe(declared["browser_upload"]!.timeoutMs);
});
