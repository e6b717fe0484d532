/** Asks a chain of questions, each of which depends on the previous answer; canceling one ends the chain. */

import { ask, type Host, type Prompt, type PromptResponse } from "@handrail/host";

export type Report = (line: string) => void;

export async function planTrip(host: Host, report: Report): Promise<void> {
  const runId = `trip-${Date.now()}`;
  const request = async (prompt: Prompt): Promise<PromptResponse | null> => {
    const response = await ask(host, { runId, prompt });
    if (response.status === "ok") return response;
    report(`Ended: ${response.status}.`);
    return null;
  };

  const form = await request({
    kind: "kv",
    title: "Where to?",
    fields: [{ key: "city", label: "City", required: true }, { key: "days", label: "Days", default: "2" }],
  });
  if (!form) return;
  const { city = "", days = "" } = form.values ?? {};
  report(`To ${city}, ${days} days.`);

  const choice = await request({
    kind: "choice",
    title: `How to get to ${city}?`,
    options: [{ value: "train", label: "By train" }, { value: "bike", label: "By bike" }],
    default: "train",
  });
  if (!choice) return;
  report(`By ${String(choice.selection)}.`);

  const tasks = await request({
    kind: "task_confirm",
    title: "What needs to be done?",
    tasks: [
      { title: choice.selection === "train" ? "Buy tickets" : "Check the brakes", priority: "high" },
      { title: `Find a bed in ${city}` },
    ],
  });
  if (!tasks) return;
  const titles = (tasks.tasks ?? []).map((task) => task.title);
  report(`Tasks: ${titles.join(", ")}.`);

  await request({ kind: "result", title: "The trip is planned", markdown: titles.map((title) => `- ${title}`).join("\n") });
  report("Done.");
}
