import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { sha256 } from "../src/page/sha256";

test("it is SHA-256, for texts of every length around a block and of any script", () => {
  const texts = ["", "abc", "世界 👋", ...Array.from({ length: 140 }, (_, length) => "x".repeat(length)), "y".repeat(100_000)];
  for (const text of texts) expect(sha256(text)).toBe(createHash("sha256").update(text).digest("hex"));
});
