/** The chain: each question follows from the answer before; a cancel ends it. */

import { ask, type Host, type Prompt, type PromptResponse } from "@handrail/host";

export type Tell = (line: string) => void;

export async function planTrip(host: Host, tell: Tell): Promise<void> {
  const runId = `trip-${Date.now()}`;
  const put = async (prompt: Prompt): Promise<PromptResponse | null> => {
    const response = await ask(host, { runId, prompt });
    if (response.status === "ok") return response;
    tell(`Ended: ${response.status}.`);
    return null;
  };

  const form = await put({
    kind: "kv",
    title: "Where to?",
    fields: [{ key: "city", label: "City", required: true }, { key: "days", label: "Days", default: "2" }],
  });
  if (!form) return;
  const { city = "", days = "" } = form.values ?? {};
  tell(`To ${city}, ${days} days.`);

  const choice = await put({
    kind: "choice",
    title: `How to get to ${city}?`,
    options: [{ value: "train", label: "By train" }, { value: "bike", label: "By bike" }],
    default: "train",
  });
  if (!choice) return;
  tell(`By ${String(choice.selection)}.`);

  const tasks = await put({
    kind: "task_confirm",
    title: "What is to be done?",
    tasks: [
      { title: choice.selection === "train" ? "Buy tickets" : "Check the brakes", priority: "high" },
      { title: `Find a bed in ${city}` },
    ],
  });
  if (!tasks) return;
  const titles = (tasks.tasks ?? []).map((task) => task.title);
  tell(`Tasks: ${titles.join(", ")}.`);

  await put({ kind: "result", title: "The trip is planned", markdown: titles.map((title) => `- ${title}`).join("\n") });
  tell("Done.");
}
