/** Checks a person's input against contract 5 §5–§7, and turns it into a response. */

import type { ChoicePrompt, KvField, KvPrompt, Task, TaskConfirmPrompt } from "@handrail/host";

export type Problem = "required" | "tooFew" | "tooMany" | "taskTitle";

export function initialValues(fields: readonly KvField[]): Record<string, string> {
  return Object.fromEntries(fields.map((field) => [field.key, field.default ?? ""]));
}

/** Problems by field key; empty if the form can be sent. */
export function checkValues(prompt: KvPrompt, values: Readonly<Record<string, string>>): Map<string, Problem> {
  const problems = new Map<string, Problem>();
  for (const field of prompt.fields) {
    if (field.required && (values[field.key] ?? "").trim() === "") problems.set(field.key, "required");
  }
  return problems;
}

export interface Limits {
  min: number;
  max: number;
}

export function choiceLimits(prompt: ChoicePrompt): Limits {
  if (!prompt.multiple) return { min: 1, max: 1 };
  return { min: prompt.minSelections ?? 0, max: prompt.maxSelections ?? prompt.options.length };
}

export function initialSelection(prompt: ChoicePrompt): string[] {
  const defaults = prompt.default === undefined ? [] : [prompt.default].flat();
  return prompt.options.map((option) => option.value).filter((value) => defaults.includes(value));
}

export function checkSelection(prompt: ChoicePrompt, selection: readonly string[]): Problem | null {
  const { min, max } = choiceLimits(prompt);
  if (selection.length < min) return prompt.multiple ? "tooFew" : "required";
  return selection.length > max ? "tooMany" : null;
}

/** In the order of the options, whatever the order of the clicks. */
export function toggleOption(prompt: ChoicePrompt, selection: readonly string[], value: string): string[] {
  if (!prompt.multiple) return [value];
  const selected = new Set(selection);
  if (!selected.delete(value)) selected.add(value);
  return prompt.options.map((option) => option.value).filter((known) => selected.has(known));
}

export function initialTasks(prompt: TaskConfirmPrompt): Task[] {
  return (prompt.tasks ?? []).map((task) => ({ ...newTask(), ...task, draftId: task.draftId || crypto.randomUUID() }));
}

export function newTask(): Task {
  return { draftId: crypto.randomUUID(), title: "", details: "", priority: "medium", status: "todo", tags: [] };
}

export function moveTask(tasks: readonly Task[], from: number, to: number): Task[] {
  const moved = [...tasks];
  const [task] = moved.splice(from, 1);
  if (!task || to < 0 || to >= tasks.length) return [...tasks];
  moved.splice(to, 0, task);
  return moved;
}

export function checkTasks(tasks: readonly Task[]): Map<string, Problem> {
  const untitled = tasks.filter((task) => task.title.trim() === "");
  return new Map(untitled.map((task) => [task.draftId, "taskTitle"]));
}

/** Commas separate tags, Chinese ones too. */
export function readTags(text: string): string[] {
  return [...new Set(text.split(/[,，]/).map((tag) => tag.trim()).filter(Boolean))];
}
