/** What a person takes of a change: some of its hunks and files, or texts of their own. */

import type { ChangePart, PromptResponse } from "@handrail/host";

export interface Taking {
  /** What is left out, as `keyOf` names it. */
  left: ReadonlySet<string>;
  /** Edited texts by path. */
  texts: ReadonlyMap<string, string>;
}

export const EVERYTHING: Taking = { left: new Set(), texts: new Map() };

/** Of a hunk, or of a file that has none. */
export const keyOf = (part: ChangePart, place: number): string => `${place} ${part.path}`;

export const placesOf = (part: ChangePart): number[] => (part.hunks.length ? part.hunks.map((_, place) => place) : [-1]);

export const takenOf = (part: ChangePart, { left }: Taking): number[] => placesOf(part).filter((place) => !left.has(keyOf(part, place)));

export const isEdited = (part: ChangePart, { texts }: Taking): boolean => texts.has(part.path) && texts.get(part.path) !== part.content;

/** A text field knows only LF: a text whose lines all end in CRLF gets them back, and one that mixes both can't be edited. */
export const isEditable = ({ content }: ChangePart): boolean => content !== undefined && (!content.includes("\r") || !/(^|[^\r])\n|\r(?!\n)/.test(content));

export const asWritten = ({ content = "" }: ChangePart, text: string): string =>
  content.includes("\r\n") ? text.replace(/\r?\n/g, "\r\n") : text;

export function toggled({ left, texts }: Taking, part: ChangePart, places: readonly number[], isTaken: boolean): Taking {
  const next = new Set(left);
  for (const place of places) isTaken ? next.delete(keyOf(part, place)) : next.add(keyOf(part, place));
  return { left: next, texts };
}

/** How many parts are taken, and of how many. */
export function count(parts: readonly ChangePart[], taking: Taking): { taken: number; all: number } {
  const sum = (of: (part: ChangePart) => number[]): number => parts.reduce((total, part) => total + of(part).length, 0);
  return { taken: sum((part) => takenOf(part, taking)), all: sum(placesOf) };
}

export const isWhole = (parts: readonly ChangePart[], taking: Taking): boolean =>
  taking.left.size === 0 && !parts.some((part) => isEdited(part, taking));

/** The members of the answer; null where nothing is taken. */
export function takenParts(parts: readonly ChangePart[], taking: Taking): Pick<PromptResponse, "hunks" | "content" | "files"> | null {
  if (isWhole(parts, taking)) return {};
  const files = parts.flatMap((part): NonNullable<PromptResponse["files"]> => {
    const taken = takenOf(part, taking);
    if (isEdited(part, taking)) return [{ path: part.path, content: taking.texts.get(part.path)! }];
    if (taken.length === 0) return [];
    return [taken.length === placesOf(part).length ? { path: part.path } : { path: part.path, hunks: taken }];
  });
  if (files.length === 0) return null;
  if (parts.length > 1) return { files };
  const { path: _, ...only } = files[0]!;
  return only;
}
