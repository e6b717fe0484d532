/** Everything the console says, in both languages. */

import { en } from "./en";
import type { Language, Texts } from "./shape";
import { zh } from "./zh";

export type { Language } from "./shape";
export const dictionaries: Record<Language, Texts> = { en, zh };
