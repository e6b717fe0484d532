/** Hears input and submissions before the page's own scripts, which could hide an event from later listeners. */

import { listenOnWindow } from "./window_listeners";

export type EventListener = (event: Event) => void;

declare global {
  /** Set in every document before its first script; missing in documents older than the extension. */
  var handrailEar: Set<EventListener> | undefined;
}

const EVENT_TYPES = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "keydown", "submit", "formdata"] as const;

/** Functions added to the returned set are called with each event. */
export function startListening(): Set<EventListener> {
  const listeners = new Set<EventListener>();
  const dispatch = (event: Event): void => {
    for (const hear of listeners) hear(event);
  };
  for (const type of EVENT_TYPES) listenOnWindow(type, dispatch);
  navigation.addEventListener("navigate", dispatch);
  return listeners;
}

/** Whether no script of the page can have run before. */
export const isInstalledFirst = (): boolean => globalThis.handrailEar !== undefined;

let lateListeners: Set<EventListener> | undefined;

export function addEarlyListener(listener: EventListener): void {
  (globalThis.handrailEar ?? (lateListeners ??= startListening())).add(listener);
}
