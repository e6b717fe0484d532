/** A grant while a person edits it: where it applies and until when. The server says what each choice means. */

import type { Grant } from "@handrail/host";

/**
 * The exact path, everything in its folder, everything below it, and every file of its kind. The first is the
 * narrowest.
 */
export function pathPatterns(path: string): string[] {
  const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
  const kind = /[^/.][^/]*\.([A-Za-z0-9]{1,8})$/.exec(path)?.[1];
  const below = folder ? [`${folder}/*`, `${folder}/**`] : ["*"];
  return [...new Set([path, ...below, ...(kind ? [`**/*.${kind}`] : [])])];
}

/** This port, or every port of the host: a port is part of a place. */
export function placePatterns(place: string): string[] {
  const match = /^([a-z]+:\/\/)(\[[^\]]+\]|[^:/]+)(?::\d+)?$/.exec(place);
  return match ? [place, `${match[1]}${match[2]}:*`] : [place];
}

export type End = "hour" | "day" | "month" | "none";
const LENGTHS: Record<Exclude<End, "none">, number> = { hour: 3_600_000, day: 86_400_000 - 60_000, month: 30 * 86_400_000 };

/** A day ends a minute early, so that it still counts as a day when the answer arrives. */
export const endOf = (end: End, now: number): string | undefined => (end === "none" ? undefined : new Date(now + LENGTHS[end]).toISOString().slice(0, 19) + "Z");

export interface Edit {
  where: string;
  everyProject: boolean;
  everyAgent: boolean;
  end: End;
}

/** What is sent: only what differs from the offer, and the tools as offered. */
export function editedGrant(offered: Grant, edit: Edit, now: number): Grant {
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
