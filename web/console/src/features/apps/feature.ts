import type { Feature } from "../../shell/feature";
import { lazily } from "../../ui/Lazy";

/** The other texts of this page are loaded with its code. */
export type AppsWords = { pages: { apps: string } };

export const apps: Feature = {
  server: "apps",
  pages: [{ name: "apps", group: "surfaces", icon: "M12 3v6M12 15v6M3 12h6M15 12h6M9 9h6v6H9z", View: lazily(async () => (await import("./components/Apps")).Apps) }],
};
