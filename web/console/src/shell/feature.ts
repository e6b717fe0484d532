/** What a feature brings to the console. The shell knows features by this alone; `features.ts` lists them. */

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
  /** Where the sidebar lists it: what one works with first, then what agents reach, then the rest at the bottom. */
  group: "work" | "surfaces" | "foot";
  /** Names that it had before: their addresses still lead here. */
  formerly?: readonly string[];
  /** How much there is to do on it. */
  count?: () => number;
  /** Called where the address names the page without a slash (`#prompts`). */
  opened?: () => void;
}

/** In the order of the page. */
export type SettingsSection = "general" | "notifications" | "models" | "access" | "setup" | "keyboard";

export interface Feature {
  /** The feature of the server without which there is nothing to show. */
  server?: string;
  /** Only servers that several people share have it: they name what they have. */
  isShared?: boolean;
  pages?: FeaturePage[];
  /** Cards on the settings page, by their section. */
  settings?: { section: SettingsSection; View: ComponentType }[];
  /** Shown over every page. */
  overlays?: { View: ComponentType; isShown?: () => boolean }[];
  /** What opens and closes when a program asks for the panel of questions. */
  panel?: PanelControl;
  /** What ⌘K offers beside the pages. */
  commands?: () => { name: string; run: () => void }[];
  /** Called once, when the line to the server is opened. */
  listen?: (line: Line, host: Host) => void;
  /** Called after every connect: the truth is read again. */
  reload?: () => Promise<void>;
  /** The page to begin with, where the address names none. */
  firstPage?: () => Promise<PageName | null>;
}
