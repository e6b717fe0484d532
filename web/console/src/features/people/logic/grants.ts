/** A grant as a person edits it: ways to name where it counts, and until when. The server says what each of them means. */

import type { Grant } from "@handrail/host";

/** As `kernel/glob.py` escapes what is meant to the letter. */
export const literal = (path: string): string => path.replace(/[*?[{},]/g, "[$&]");

/** The path to the letter, everything in its folder, everything below it, and every file of its kind. The first is the narrowest. */
export function pathPatterns(path: string): string[] {
  const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
  const kind = /[^/.][^/]*\.([A-Za-z0-9]{1,8})$/.exec(path)?.[1];
  const below = folder ? [`${folder}/*`, `${folder}/**`] : ["*"];
  return [...new Set([path, ...below, ...(kind ? [`**/*.${kind}`] : [])])];
}

/** This port, or every port of the host: a port is part of a place. */
export function placePatterns(place: string): string[] {
  const found = /^([a-z]+:\/\/)(\[[^\]]+\]|[^:/]+)(?::\d+)?$/.exec(place);
  return found ? [place, `${found[1]}${found[2]}:*`] : [place];
}

export type End = "hour" | "day" | "month" | "none";
const LENGTHS: Record<Exclude<End, "none">, number> = { hour: 3_600_000, day: 86_400_000 - 60_000, month: 30 * 86_400_000 };

/** A day ends a minute early: then it still counts as a day when the answer arrives. */
export const endOf = (end: End, now: number): string | undefined => (end === "none" ? undefined : new Date(now + LENGTHS[end]).toISOString().slice(0, 19) + "Z");

export interface Edit {
  where: string;
  everyProject: boolean;
  everyAgent: boolean;
  end: End;
}

/** What is sent: only what differs from the offer, and the tools as they were offered. */
export function edited(offered: Grant, edit: Edit, now: number): Grant {
  const until = endOf(edit.end, now);
  return {
    tools: offered.tools,
    ...(offered.path === undefined ? {} : { path: edit.where }),
    ...(offered.place === undefined ? {} : { place: edit.where }),
    ...(edit.everyProject ? { project: "*" } : {}),
    ...(edit.everyAgent ? { identity: "*" } : {}),
    ...(until === undefined ? {} : { until }),
  };
}
