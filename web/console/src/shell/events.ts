/** Events that the server sends to pages, by their declared names (web/protocol). */

import type { FrontendEventType } from "../../../protocol";

export interface FrontendEvent<T extends FrontendEventType> { type: T }
