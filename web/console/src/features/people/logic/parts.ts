/** The parts of a change that a person accepts: some of its hunks and files, or edited texts. */

import type { ChangePart, PromptResponse } from "@handrail/host";

export interface PartChoice {
  /** What is left out, as `keyOf` names it. */
  left: ReadonlySet<string>;
  /** Edited texts by path. */
  texts: ReadonlyMap<string, string>;
}

export const EVERYTHING: PartChoice = { left: new Set(), texts: new Map() };

/** The key of a hunk, or of a file without hunks. */
export const keyOf = (part: ChangePart, place: number): string => `${place} ${part.path}`;

export const placesOf = (part: ChangePart): number[] => (part.hunks.length ? part.hunks.map((_, place) => place) : [-1]);

export const chosenPlacesOf = (part: ChangePart, { left }: PartChoice): number[] => placesOf(part).filter((place) => !left.has(keyOf(part, place)));

export const isEdited = (part: ChangePart, { texts }: PartChoice): boolean => texts.has(part.path) && texts.get(part.path) !== part.content;

/**
 * A text field only has LF. A text whose lines all end in CRLF gets them back; a text that mixes both can't be edited.
 */
export const isEditable = ({ content }: ChangePart): boolean => content !== undefined && (!content.includes("\r") || !/(^|[^\r])\n|\r(?!\n)/.test(content));

export const asWritten = ({ content = "" }: ChangePart, text: string): string =>
  content.includes("\r\n") ? text.replace(/\r?\n/g, "\r\n") : text;

export function withToggled({ left, texts }: PartChoice, part: ChangePart, places: readonly number[], isTaken: boolean): PartChoice {
  const next = new Set(left);
  for (const place of places) isTaken ? next.delete(keyOf(part, place)) : next.add(keyOf(part, place));
  return { left: next, texts };
}

/** How many parts are accepted, and of how many. */
export function count(parts: readonly ChangePart[], taking: PartChoice): { taken: number; all: number } {
  const sum = (of: (part: ChangePart) => number[]): number => parts.reduce((total, part) => total + of(part).length, 0);
  return { taken: sum((part) => chosenPlacesOf(part, taking)), all: sum(placesOf) };
}

export const isWhole = (parts: readonly ChangePart[], taking: PartChoice): boolean =>
  taking.left.size === 0 && !parts.some((part) => isEdited(part, taking));

/** The members of the answer; null if nothing is accepted. */
export function chosenParts(parts: readonly ChangePart[], taking: PartChoice): Pick<PromptResponse, "hunks" | "content" | "files"> | null {
  if (isWhole(parts, taking)) return {};
  const files = parts.flatMap((part): NonNullable<PromptResponse["files"]> => {
    const chosenPlaces = chosenPlacesOf(part, taking);
    if (isEdited(part, taking)) return [{ path: part.path, content: taking.texts.get(part.path)! }];
    if (chosenPlaces.length === 0) return [];
    return [chosenPlaces.length === placesOf(part).length ? { path: part.path } : { path: part.path, hunks: chosenPlaces }];
  });
  if (files.length === 0) return null;
  if (parts.length > 1) return { files };
  const { path: _, ...only } = files[0]!;
  return only;
}
