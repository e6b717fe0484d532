/** Filters a game's files by kind, use and words. */

import { KINDS, type Kind, type Resource } from "./game";

export type Choice = Kind | "all" | "unused" | "missing";

export function choicesOf(resources: readonly Resource[], missing: number): [Choice, number][] {
  const kinds = KINDS.map((kind): [Choice, number] => [kind, resources.filter((one) => one.kind === kind).length]);
  const unused = resources.filter(({ isUnused }) => isUnused).length;
  const choices: [Choice, number][] = [["all", resources.length], ...kinds, ["unused", unused], ["missing", missing]];
  return choices.filter(([choice, count]) => choice === "all" || count > 0);
}

export function filterResources(resources: readonly Resource[], words: string, choice: Choice): Resource[] {
  const query = words.toLowerCase();
  return resources.filter(
    ({ kind, isUnused, path }) => (choice === "all" || (choice === "unused" ? isUnused : kind === choice)) && path.toLowerCase().includes(query),
  );
}

export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(bytes < 10240 ? 1 : 0)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
