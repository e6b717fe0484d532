/** Lists models, selects one, and stores their keys; a key is sent once and never read. */

import { deleteAt, fetchData, postJson } from "@handrail/host";
import { models, type Effort, type Models } from "../store";

export async function readModels(): Promise<void> {
  models.value = await fetchData<Models>("/api/agent/models");
}

/** The key first: a model that is set without one would be reported as lacking it. */
export async function connectModel({ model, baseUrl, key }: { model: string; baseUrl: string; key: string }): Promise<void> {
  if (key) await postJson<unknown>("/api/agent/keys", { provider: providerOf(model), key });
  await postJson<unknown>("/api/agent/model", { model, ...(baseUrl ? { baseUrl } : {}) });
  await readModels();
}

export async function setEffort(effort: Effort): Promise<void> {
  await postJson<unknown>("/api/agent/effort", { effort });
  await readModels();
}

export async function forgetKeys(): Promise<void> {
  await deleteAt<unknown>("/api/agent/keys");
  await readModels();
}

export const providerOf = (model: string): string => model.split(":")[0] ?? "";
