/** Counts, groups and filters problems. */

import { SEVERITIES, type Problem, type SceneEntry, type Severity } from "./game";

export type Counts = Record<Severity, number>;

export function countsOf(problems: readonly Problem[]): Counts {
  const counts: Counts = { syntax: 0, resource: 0, style: 0 };
  for (const { kind } of problems) counts[kind]++;
  return counts;
}

export const total = (counts: Counts): number => counts.syntax + counts.resource + counts.style;

export function byPath(problems: readonly Problem[]): Map<string, Problem[]> {
  const groups = new Map<string, Problem[]>();
  for (const problem of problems) {
    const group = groups.get(problem.path);
    if (group) group.push(problem);
    else groups.set(problem.path, [problem]);
  }
  return groups;
}

export function byLine(problems: readonly Problem[]): Map<number, Problem[]> {
  const groups = new Map<number, Problem[]>();
  for (const problem of problems) groups.set(problem.line, [...(groups.get(problem.line) ?? []), problem]);
  return groups;
}

/** The most severe problem of a line, for its one mark. */
export const mostSevere = (problems: readonly Problem[]): Severity | undefined =>
  SEVERITIES.find((severity) => problems.some(({ kind }) => kind === severity));

const containsAll = (text: string, words: string): boolean => words.toLowerCase().split(/\s+/).every((word) => text.toLowerCase().includes(word));

export function filterProblems(problems: readonly Problem[], words: string, wanted: ReadonlySet<Severity>): Problem[] {
  return problems.filter(
    ({ path, code, kind, message, line }) => (wanted.size === 0 || wanted.has(kind)) && containsAll(`${path}:${line} ${code} ${message}`, words),
  );
}

export interface ListedScene extends SceneEntry {
  counts: Counts;
}

const rank = (path: string, entry: string | null): number => (path === entry ? 0 : path.endsWith("/config.txt") ? 2 : 1);

/** The entry scene first, then by name, the settings last; with severities selected, only scenes with such problems. */
export function listScenes(scenes: readonly SceneEntry[], problems: ReadonlyMap<string, Problem[]>, words: string, wanted: ReadonlySet<Severity>, entry: string | null): ListedScene[] {
  return scenes
    .map((scene) => ({ ...scene, counts: countsOf(problems.get(scene.path) ?? []) }))
    .filter(({ name, counts }) => containsAll(name, words) && (wanted.size === 0 || [...wanted].some((kind) => counts[kind] > 0)))
    .sort((a, b) => rank(a.path, entry) - rank(b.path, entry) || a.name.localeCompare(b.name, "en", { numeric: true }));
}

/** The next or previous line with a problem, wrapping around. */
export function nextProblemLine(lines: Iterable<number>, from: number, step: 1 | -1): number | undefined {
  const sorted = [...lines].sort((a, b) => a - b);
  if (step > 0) return sorted.find((line) => line > from) ?? sorted[0];
  return sorted.filter((line) => line < from).at(-1) ?? sorted.at(-1);
}

/** Whether any of these can be fixed without asking what was meant. */
export const hasSafeFix = (problems: readonly Problem[]): boolean => problems.some(({ fixHint, isGuess }) => fixHint !== undefined && !isGuess);
