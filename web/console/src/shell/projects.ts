/** The projects that this console serves, and which of them a person wants to see. */

import { fetchData } from "@handrail/host";
import { computed, signal } from "@preact/signals";
import { session } from "../store";

export interface KnownProject {
  path: string;
  name: string;
}

export const projects = signal<readonly KnownProject[]>([]);
/** The one to look at; empty for all of them. */
export const project = signal("");

/** Names that two folders share are told apart by the folder above. */
const names = computed(() => {
  const all = projects.value;
  return new Map(all.map(({ path, name }) => [path, all.filter((one) => one.name === name).length > 1 ? path.split(/[\\/]/).slice(-2).join("/") : name]));
});

export function projectName(path: string): string {
  return names.value.get(path) ?? path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;
}

/** Whether it belongs to what the person wants to see. What names no project belongs everywhere. */
export const isChosen = (path: string | undefined): boolean => project.value === "" || path === undefined || path === project.value;

export async function reloadProjects(): Promise<void> {
  const found = await fetchData<{ projects: KnownProject[] }>("/api/projects").catch(() => ({ projects: [] }));
  const own = typeof session.value === "object" ? session.value.project : "";
  projects.value = found.projects.length || !own ? found.projects : [{ path: own, name: own.split(/[\\/]/).at(-1) ?? own }];
  if (project.value && !projects.value.some(({ path }) => path === project.value)) project.value = "";
}
