import type { Feature } from "../../shell/feature";
import { lazily } from "../../ui/Lazy";

/** The other texts of this page are loaded with its code. */
export type DesktopWords = { pages: { desktop: string } };

export const desktop: Feature = {
  server: "desktop",
  pages: [{ name: "desktop", group: "surfaces", icon: "M3 4h18v12H3zM12 16v4M8 20h8", View: lazily(async () => (await import("./components/Desktop")).Desktop) }],
};
