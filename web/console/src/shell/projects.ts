/** The projects that this console serves, and the selected one. */

import { fetchData } from "@handrail/host";
import { computed, signal } from "@preact/signals";
import { session } from "../store";

export interface KnownProject {
  path: string;
  name: string;
}

export const projects = signal<readonly KnownProject[]>([]);
/** The selected project; empty for all of them. */
export const project = signal("");

/** Folders with the same name are distinguished by the folder above. */
const names = computed(() => {
  const all = projects.value;
  return new Map(all.map(({ path, name }) => [path, all.filter((one) => one.name === name).length > 1 ? path.split(/[\\/]/).slice(-2).join("/") : name]));
});

export function projectName(path: string): string {
  return names.value.get(path) ?? path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;
}

/** Whether it belongs to the selected project. What names no project belongs to all. */
export const isChosen = (path: string | undefined): boolean => project.value === "" || path === undefined || path === project.value;

export async function reloadProjects(): Promise<void> {
  const response = await fetchData<{ projects: KnownProject[] }>("/api/projects").catch(() => ({ projects: [] }));
  const own = typeof session.value === "object" ? session.value.project : "";
  projects.value = response.projects.length || !own ? response.projects : [{ path: own, name: own.split(/[\\/]/).at(-1) ?? own }];
  if (project.value && !projects.value.some(({ path }) => path === project.value)) project.value = "";
}
