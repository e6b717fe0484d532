/** The review page's requests to the server. */

import { fetchData, postJson } from "@handrail/host";
import type { Item, ShownFile, ItemToTake } from "./logic/items";

export interface Run {
  id: string;
  client: string;
  command: string[];
  startedAt: string;
  endedAt?: string;
  isRunning?: boolean;
  changes?: number;
  problem?: string;
}

export interface Commit {
  id: string;
  subject: string;
  message: string;
  author: string;
  date: string;
  stat: string;
}

export interface Taken {
  result: { taken: number; paths: string[]; left?: string[] };
  executionId: string;
}

const at = (id: string, rest = ""): string => `/api/reviews/${encodeURIComponent(id)}${rest}`;

export const readRuns = async (): Promise<Run[]> => (await fetchData<{ reviews: Run[] }>("/api/reviews")).reviews;
export const readItems = async (id: string): Promise<Item[]> => (await fetchData<{ items: Item[] }>(at(id))).items;
export const readFile = (id: string, path: string): Promise<ShownFile> => fetchData<ShownFile>(at(id, `/file?path=${encodeURIComponent(path)}`));
export const readCommits = async (id: string): Promise<Commit[]> => (await postJson<{ commits: Commit[] }>(at(id, "/commits"), {})).commits;
export const takeItems = (id: string, items: ItemToTake[]): Promise<Taken> => postJson<Taken>(at(id, "/take"), { items });
export const takeCommit = (id: string, commit: string): Promise<Taken> => postJson<Taken>(at(id, "/take"), { commit });
export const discard = (id: string): Promise<unknown> => postJson(at(id, "/discard"), {});
export const undo = (executionId: string): Promise<unknown> => postJson("/api/undo", { id: executionId });
