import { expect, test } from "vitest";
import { parametersOf, readParameters } from "../src/features/tools/logic/schema";

const parameters = parametersOf({
  type: "object",
  properties: {
    limit: { type: "integer", default: 50 },
    path: { type: "string" },
    content: { type: "string" },
    mode: { type: "string", enum: ["overwrite", "append"] },
    dryRun: { type: "boolean", default: true },
    globs: { type: "array", items: { type: "string" } },
    options: { type: "object" },
  },
  required: ["path", "content"],
});

test("required parameters come first, each with a suitable field", () => {
  expect(parameters.map((parameter) => [parameter.name, parameter.kind])).toEqual([
    ["path", "text"], ["content", "multiline"], ["limit", "number"], ["mode", "enum"], ["dryRun", "boolean"],
    ["globs", "lines"], ["options", "json"],
  ]);
});

test("empty fields are left out, and defaults are sent", () => {
  expect(readParameters(parameters, { path: "a" }).params).toEqual({ path: "a", content: "", limit: 50, dryRun: true });
});

test("lists have one item per line, JSON is parsed", () => {
  const { params } = readParameters(parameters, { path: "a", globs: "*.ts\n*.md\n", options: '{"a":[1]}' });
  expect(params).toMatchObject({ globs: ["*.ts", "*.md"], options: { a: [1] } });
});

test("fields that can't be parsed are named", () => {
  const { problems } = readParameters(parameters, { path: "a", limit: "1.5", options: "{" });
  expect([...problems]).toEqual([["limit", "number"], ["options", "json"]]);
});
