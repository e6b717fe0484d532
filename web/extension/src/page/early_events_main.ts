/** Runs in every document before its first script, and does nothing until a task works there. */

import { startListening } from "./early_events";

globalThis.handrailEar ??= startListening();
