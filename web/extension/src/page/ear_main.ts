/** Runs in every document before its first script, and does nothing until a task works there. */

import { listen } from "./ear";

globalThis.handrailEar ??= listen();
