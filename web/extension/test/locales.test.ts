import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (locale: string) => JSON.parse(readFileSync(new URL(`../_locales/${locale}/messages.json`, import.meta.url), "utf8")) as Record<string, { message: string }>;

test("both languages have the same messages, under names that Chrome distinguishes", () => {
  const [en, zh] = [read("en"), read("zh_CN")];
  expect(Object.keys(zh)).toEqual(Object.keys(en));
  for (const { message } of [...Object.values(en), ...Object.values(zh)]) expect(message).not.toBe("");
  // Chrome compares the names without regard to case.
  expect(new Set(Object.keys(en).map((name) => name.toLowerCase())).size).toBe(Object.keys(en).length);
});
