import type { ChoicePrompt, KvPrompt } from "@handrail/host";
import { expect, test } from "vitest";
import { checkSelection, checkTasks, checkValues, initialSelection, initialTasks, initialValues, moveTask, newTask, readTags, toggleOption } from "../src/features/people/logic/answers";

const form: KvPrompt = { kind: "kv", fields: [{ key: "name", required: true }, { key: "note", default: "x" }] };
const choice = (more: Partial<ChoicePrompt>): ChoicePrompt => ({
  kind: "choice", options: [{ value: "a" }, { value: "b" }, { value: "c" }], ...more,
});

test("required fields need more than blanks", () => {
  expect([...checkValues(form, { name: "  ", note: "" })]).toEqual([["name", "required"]]);
  expect(checkValues(form, { name: "Alice" }).size).toBe(0);
});

test("defaults fill the form", () => {
  expect(initialValues(form.fields)).toEqual({ name: "", note: "x" });
});

test("one choice replaces the other", () => {
  expect(toggleOption(choice({}), ["a"], "b")).toEqual(["b"]);
  expect(checkSelection(choice({}), [])).toBe("required");
});

test("several choices keep the order of the options and their limits", () => {
  const several = choice({ multiple: true, minSelections: 1, maxSelections: 2 });
  expect(toggleOption(several, ["c"], "a")).toEqual(["a", "c"]);
  expect(toggleOption(several, ["a", "c"], "a")).toEqual(["c"]);
  expect(checkSelection(several, [])).toBe("tooFew");
  expect(checkSelection(several, ["a", "b", "c"])).toBe("tooMany");
  expect(checkSelection(several, ["a"])).toBeNull();
});

test("a default that is no option is dropped", () => {
  expect(initialSelection(choice({ default: "z" }))).toEqual([]);
  expect(initialSelection(choice({ multiple: true, default: ["c", "a"] }))).toEqual(["a", "c"]);
});

test("tasks get defaults for missing fields", () => {
  const [task] = initialTasks({ kind: "task_confirm", tasks: [{ title: "x" }] });
  expect(task).toMatchObject({ title: "x", priority: "medium", status: "todo", tags: [], details: "" });
  expect(task?.draftId).not.toBe("");
});

test("tasks move within the list and not out of it", () => {
  const tasks = ["a", "b", "c"].map((title) => ({ ...newTask(), title }));
  const titles = (from: number, to: number) => moveTask(tasks, from, to).map((task) => task.title).join("");
  expect(titles(0, 2)).toBe("bca");
  expect(titles(2, 0)).toBe("cab");
  expect(titles(0, -1)).toBe("abc");
  expect(titles(2, 3)).toBe("abc");
});

test("a task needs a title", () => {
  const task = newTask();
  expect([...checkTasks([task])]).toEqual([[task.draftId, "taskTitle"]]);
});

test("tags are separated by commas of both languages and never duplicated", () => {
  expect(readTags("docs, ui，docs,, ")).toEqual(["docs", "ui"]);
});
