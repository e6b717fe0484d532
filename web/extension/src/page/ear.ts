/** Hears input and submissions before the page's own scripts: those could keep an event from everybody who listens later. */

import { listenOnWindow } from "./window_listeners";

export type Hear = (event: Event) => void;

declare global {
  /** Set in every document before its first script; missing in one that is older than the extension. */
  var handrailEar: Set<Hear> | undefined;
}

const HEARD = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "keydown", "submit", "formdata"] as const;

/** What is added to the answer is told of each event. */
export function listen(): Set<Hear> {
  const hearers = new Set<Hear>();
  const tell = (event: Event): void => {
    for (const hear of hearers) hear(event);
  };
  for (const type of HEARD) listenOnWindow(type, tell);
  navigation.addEventListener("navigate", tell);
  return hearers;
}

/** Whether no script of the page can have come before. */
export const isFirst = (): boolean => globalThis.handrailEar !== undefined;

let late: Set<Hear> | undefined;

export function hear(what: Hear): void {
  (globalThis.handrailEar ?? (late ??= listen())).add(what);
}
