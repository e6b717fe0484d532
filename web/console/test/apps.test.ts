import { expect, test } from "vitest";
import { type Consent, consentsFor, findApps, lastCallsOf, type ListedApp } from "../src/features/apps/logic/apps";
import { foldRecords } from "../src/features/history/logic/calls";
import { parametersOf, readParameters } from "../src/features/tools/logic/schema";

const app = (id: string, name: string, ...tools: string[]): ListedApp => ({
  id, name, description: `${name} of the tests`, source: "here", tools: tools.map((tool) => ({ name: tool, description: `does ${tool}` })),
});
const APPS = [app("com.example.mail", "Mail", "send_email", "list_emails"), app("com.example.notes", "Notes", "add_note")];

test("apps are found by every word of their own and their tools' descriptions", () => {
  const found = (words: string): string[] => findApps(APPS, words).map(({ name }) => name);
  expect(found("")).toEqual(["Mail", "Notes"]);
  expect(found("SEND  tests")).toEqual(["Mail"]);
  expect(found("example.notes")).toEqual(["Notes"]);
  expect(found("send note")).toEqual([]);
});

test("the last calls of an app are its own, the newest first, and not all of them", () => {
  const records = Array.from({ length: 9 }, (_, at) => ({
    seq: at, ts: `2026-01-01T00:00:0${at}.000Z`, event: "end", ok: true, outcome: "done" as const, executionId: `e${at}`, tool: at === 8 ? "apps_list" : "apps_call",
    target: at % 2 ? "com.example.notes" : "com.example.mail",
  }));
  const calls = lastCallsOf(foldRecords([], records), "com.example.mail");
  expect(calls.map(({ executionId }) => executionId)).toEqual(["e6", "e4", "e2", "e0"]);
});

test("an app's consents are those for it", () => {
  const consent = (id: string, named: string): Consent => ({ id, app: named, appName: "", caller: "", tool: null, at: "", by: "", valid: true });
  expect(consentsFor([consent("1", "a.b"), consent("2", "c.d")], "c.d").map(({ id }) => id)).toEqual(["2"]);
});

test("a write-only text gets a field that hides it", () => {
  const parameters = parametersOf({ properties: { pin: { type: "string", writeOnly: true }, word: { type: "string", format: "password" } }, required: ["pin"] });
  expect(parameters.map(({ kind }) => kind)).toEqual(["secret", "secret"]);
  expect(readParameters(parameters, { word: "x" }).params).toEqual({ pin: "", word: "x" });
});
