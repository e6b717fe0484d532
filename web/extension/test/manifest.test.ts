import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (name: string): string => readFileSync(new URL(`../${name}`, import.meta.url), "utf8");
const manifest = JSON.parse(read("manifest.json")) as { key: string; version: string; permissions: string[]; host_permissions: string[] };

test("the id that servers allow follows from the key", () => {
  const digest = createHash("sha256").update(Buffer.from(manifest.key, "base64")).digest("hex").slice(0, 32);
  const id = [...digest].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 16))).join("");
  expect(JSON.parse(read("id.json"))).toEqual({ extensionId: id });
});

test("every permission is explained", () => {
  const readme = read("README.md");
  for (const name of [...manifest.permissions, ...manifest.host_permissions]) expect(readme).toContain(`\`${name}\``);
});

test("every action has its line in the README", () => {
  const readme = read("README.md");
  const names = [...read("src/actions/catalogue.ts").matchAll(/from "\.\/(\w+)"/g)].map((found) => found[1]!);
  expect(names.length).toBeGreaterThan(25);
  for (const name of names) expect(readme).toContain(`\`${name}\``);
});
