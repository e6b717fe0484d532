import type { Feature } from "../../shell/feature";
import { lazily } from "../../ui/Lazy";
import { follow, reloadBrowsers } from "./actions";
import type { BrowserTexts } from "./texts/shape";

export type BrowserWords = { pages: { browser: string }; browser: BrowserTexts };

export const browser: Feature = {
  server: "browser",
  pages: [{ name: "browser", group: "surfaces", icon: "M3 5h18v14H3zM3 9.5h18M6 7.25v.01M8.5 7.25v.01", View: lazily(async () => (await import("./components/Browser")).Browser) }],
  listen: follow,
  reload: reloadBrowsers,
};
