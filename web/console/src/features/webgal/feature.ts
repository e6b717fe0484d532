import type { Feature } from "../../shell/feature";
import { lazily } from "../../ui/Lazy";

/** The other texts of this page are loaded with its code. */
export type WebgalWords = { pages: { webgal: string } };

export const webgal: Feature = {
  server: "webgal",
  pages: [{ name: "webgal", group: "surfaces", icon: "M12 6c-2-1.4-5-2-9-2v14c4 0 7 .6 9 2 2-1.4 5-2 9-2V4c-4 0-7 .6-9 2zM12 6v14", View: lazily(async () => (await import("./components/WebGal")).WebGal) }],
};
