import { expect, test } from "vitest";
import { Failure } from "../src/worker/failure";
import { fallback, filled, flag, listOf, oneOf, optional, pageUrl, parse, text, whole } from "../src/worker/shape";

function refusal(work: () => unknown): Failure {
  try {
    work();
  } catch (error) {
    return error as Failure;
  }
  throw new Error("not refused");
}

test("defaults are filled in, null counts as absent, unknown members are left out", () => {
  const shape = { tabId: whole(0), limit: fallback(whole(1), 50), deep: fallback(flag, false), xpath: optional(text) };
  expect(parse("a", { tabId: 3, limit: null, more: 1 }, shape)).toEqual({ tabId: 3, limit: 50, deep: false });
});

test("every bad field is named at once", () => {
  const error = refusal(() => parse("browser_x", { tabId: 1.5, way: "up" }, { tabId: whole(0), way: oneOf("left", "right"), text: filled, ids: listOf(filled) }));
  expect(error.code).toBe("SCHEMA_VALIDATION_FAILED");
  expect(error.retryable).toBe(false);
  expect(error.details["fieldErrors"]).toEqual([
    { field: "tabId", message: "must be a whole number from 0" },
    { field: "way", message: "must be one of left, right" },
    { field: "text", message: "is missing" },
    { field: "ids", message: "is missing" },
  ]);
});

test.each([null, [], "x", 5])("%j are no parameters", (given) => {
  expect(refusal(() => parse("browser_x", given, {})).code).toBe("SCHEMA_VALIDATION_FAILED");
});

test("addresses of pages are whole URLs without credentials", () => {
  expect(pageUrl("HTTPS://Example.org")).toBe("https://example.org/");
  for (const bad of ["example.org", "/path", "http://user@example.org", "http://localhost@evil.example/", ""]) expect(() => pageUrl(bad)).toThrow();
});
