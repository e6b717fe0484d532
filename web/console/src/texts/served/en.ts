import type { ServedTexts } from "./shape";

/** The server speaks English. */
export const servedEn: ServedTexts = { surfaces: {}, tools: {}, checks: {} };
