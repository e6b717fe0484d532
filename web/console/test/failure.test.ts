import { HostError } from "@handrail/host";
import { expect, test } from "vitest";
import { errorsBelow, errorsByRoot, fieldErrorsOf, messageOf } from "../src/shell/failure";
import { loadTexts } from "../src/texts";

await loadTexts("en");

const refused = new HostError("BAD_REQUEST", "no", 400, {
  fieldErrors: [
    { field: "values.name", message: "is required" },
    { field: "values.a.b", message: "holds a \u202e" },
    { field: "remark", message: "must be a string" },
  ],
});

test("the server's field errors are found by path, with hidden characters spelled out", () => {
  const errors = fieldErrorsOf(refused);
  expect([...errorsBelow(errors, "values")]).toEqual([["name", "is required"], ["a.b", "holds a \\u{202e}"]]);
  expect(errors.get("remark")).toBe("must be a string");
  expect(fieldErrorsOf(new Error("other")).size).toBe(0);
});

test("a form with one field per member shows nested errors at that field", () => {
  expect(errorsByRoot(fieldErrorsOf(refused)).get("values")).toBe("name: is required");
});

test("a server that doesn't respond is reported in the person's words, without a code", () => {
  expect(messageOf(new HostError("OFFLINE", "handrail isn't responding.", 0))).toBe("handrail isn't responding.");
  expect(messageOf(new HostError("NOT_FOUND", "There is nothing.", 404))).toBe("There is nothing. (NOT_FOUND)");
});
