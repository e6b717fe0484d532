/** A person's preferences for this browser; stored in localStorage, never on the server. */

import { signal } from "@preact/signals";
import type { Language } from "./texts";

export type Theme = "auto" | "light" | "dark";
export type DiffLayout = "auto" | "unified" | "split";

export interface Preferences {
  language: Language | "auto";
  theme: Theme;
  notifies: boolean;
  wasAskedToNotify: boolean;
  isPanelWide: boolean;
  diffLayout: DiffLayout;
  drawsIndex: boolean;
  /** The browser page takes a picture after each action. */
  isLive: boolean;
}

const KEY = "handrail.preferences";
const defaults: Preferences = { language: "auto", theme: "auto", notifies: false, wasAskedToNotify: false, isPanelWide: false, diffLayout: "auto", drawsIndex: true, isLive: true };

function stored(): Partial<Preferences> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Preferences>;
  } catch {
    return {};
  }
}

export const preferences = signal<Preferences>({ ...defaults, ...stored() });

export function prefer(chosen: Partial<Preferences>): void {
  preferences.value = { ...preferences.value, ...chosen };
  try {
    localStorage.setItem(KEY, JSON.stringify(preferences.value));
  } catch {
    // Without storage the browser forgets them; everything else still works.
  }
}
