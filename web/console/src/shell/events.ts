/** Events that the server tells pages, by the names that it declares (web/protocol). */

import type { FrontendEventType } from "../../../protocol";

export interface FrontendEvent<T extends FrontendEventType> { type: T }
