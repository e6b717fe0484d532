/** What a feature brings to the console. The shell knows features only through this; `features.ts` lists them. */

import type { ComponentType } from "preact";
import type { Host } from "@handrail/host";
import type { PageName } from "../features";
import type { LazyView } from "../ui/Lazy";
import type { Line, PanelControl } from "./line";

export interface FeaturePage {
  name: PageName;
  /** The path of its icon, on 24 × 24. */
  icon: string;
  View: ComponentType | LazyView;
  /** Where the sidebar lists it: first what people work with, then what agents reach, then the rest at the bottom. */
  group: "work" | "surfaces" | "foot";
  /** Previous names, whose addresses still lead here. */
  formerly?: readonly string[];
  /** How many items need attention on it. */
  count?: () => number;
  /** Called if the address names the page without a slash (`#prompts`). */
  opened?: () => void;
}

/** In the order of the page. */
export type SettingsSection = "general" | "notifications" | "models" | "access" | "setup" | "keyboard";

export interface Feature {
  /** The server's feature that it needs. */
  server?: string;
  /** Only team servers have it. */
  isShared?: boolean;
  pages?: FeaturePage[];
  /** Cards on the settings page, by section. */
  settings?: { section: SettingsSection; View: ComponentType }[];
  /** Shown over every page. */
  overlays?: { View: ComponentType; isShown?: () => boolean }[];
  /** Called when a program opens or closes the panel of questions. */
  panel?: PanelControl;
  /** Commands for ⌘K in addition to the pages. */
  commands?: () => { name: string; run: () => void }[];
  /** Called once, when the connection to the server is opened. */
  listen?: (line: Line, host: Host) => void;
  /** Called after every connect, to load the current state. */
  reload?: () => Promise<void>;
  /** The page to start with, if the address names none. */
  firstPage?: () => Promise<PageName | null>;
}
