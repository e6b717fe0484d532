import type { Feature } from "../../shell/feature";
import { lazily } from "../../ui/Lazy";

/** The other texts of this page are loaded with its code. */
export type ReviewWords = { pages: { review: string } };

export const review: Feature = {
  server: "review",
  pages: [{ name: "review", group: "work", icon: "M4 6h10M4 12h7M4 18h5M14 15l3 3 5-6", View: lazily(async () => (await import("./components/Review")).Review) }],
};
