import { expect, test } from "vitest";
import { wellFormed } from "../src/worker/well_formed";

test("lone surrogates are replaced everywhere, and nothing else is changed", () => {
  const sent = { text: "a\ud800b", list: ["👋", "\udc00"], none: null, count: 3, "k\ud800": true };
  expect(wellFormed(sent)).toEqual({ text: "a\ufffdb", list: ["👋", "\ufffd"], none: null, count: 3, "k\ufffd": true });
});
