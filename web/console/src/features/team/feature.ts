import type { Feature } from "../../shell/feature";
import { lazily } from "../../ui/Lazy";

/** The other texts of this page are loaded with its code. */
export type TeamWords = { pages: { machines: string } };

/** Only on a team's server. */
export const team: Feature = {
  server: "team",
  isShared: true,
  pages: [{ name: "machines", group: "surfaces", icon: "M4 5h16v11H4zM2 20h20M9 16v4M15 16v4", View: lazily(async () => (await import("./Machines")).Machines) }],
};
