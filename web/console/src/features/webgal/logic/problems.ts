/** Problems counted, sorted to their lines and picked out of the whole. */

import { SEVERITIES, type Problem, type SceneEntry, type Severity } from "./game";

export type Counts = Record<Severity, number>;

export function countsOf(problems: readonly Problem[]): Counts {
  const counts: Counts = { syntax: 0, resource: 0, style: 0 };
  for (const { kind } of problems) counts[kind]++;
  return counts;
}

export const total = (counts: Counts): number => counts.syntax + counts.resource + counts.style;

export function byPath(problems: readonly Problem[]): Map<string, Problem[]> {
  const found = new Map<string, Problem[]>();
  for (const problem of problems) {
    const known = found.get(problem.path);
    if (known) known.push(problem);
    else found.set(problem.path, [problem]);
  }
  return found;
}

export function byLine(problems: readonly Problem[]): Map<number, Problem[]> {
  const found = new Map<number, Problem[]>();
  for (const problem of problems) found.set(problem.line, [...(found.get(problem.line) ?? []), problem]);
  return found;
}

/** The gravest of a line, for its one mark. */
export const gravest = (problems: readonly Problem[]): Severity | undefined =>
  SEVERITIES.find((severity) => problems.some(({ kind }) => kind === severity));

const holds = (text: string, words: string): boolean => words.toLowerCase().split(/\s+/).every((word) => text.toLowerCase().includes(word));

export function filterProblems(problems: readonly Problem[], words: string, wanted: ReadonlySet<Severity>): Problem[] {
  return problems.filter(
    ({ path, code, kind, message, line }) => (wanted.size === 0 || wanted.has(kind)) && holds(`${path}:${line} ${code} ${message}`, words),
  );
}

export interface ListedScene extends SceneEntry {
  counts: Counts;
}

const rank = (path: string, entry: string | null): number => (path === entry ? 0 : path.endsWith("/config.txt") ? 2 : 1);

/** The entry first, then by name, the settings last; with severities chosen, only scenes that have such a problem. */
export function listScenes(scenes: readonly SceneEntry[], problems: ReadonlyMap<string, Problem[]>, words: string, wanted: ReadonlySet<Severity>, entry: string | null): ListedScene[] {
  return scenes
    .map((scene) => ({ ...scene, counts: countsOf(problems.get(scene.path) ?? []) }))
    .filter(({ name, counts }) => holds(name, words) && (wanted.size === 0 || [...wanted].some((kind) => counts[kind] > 0)))
    .sort((a, b) => rank(a.path, entry) - rank(b.path, entry) || a.name.localeCompare(b.name, "en", { numeric: true }));
}

/** The next line with a problem after this one, or before it, round the end. */
export function nextProblemLine(lines: Iterable<number>, from: number, step: 1 | -1): number | undefined {
  const sorted = [...lines].sort((a, b) => a - b);
  if (step > 0) return sorted.find((line) => line > from) ?? sorted[0];
  return sorted.filter((line) => line < from).at(-1) ?? sorted.at(-1);
}

/** Whether anything in these could be mended without asking what was meant. */
export const hasSafeFix = (problems: readonly Problem[]): boolean => problems.some(({ fixHint, isGuess }) => fixHint !== undefined && !isGuess);
