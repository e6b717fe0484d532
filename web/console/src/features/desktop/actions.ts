/** The desktop page's requests to the server. */

import { fetchData, postJson } from "@handrail/host";
import type { DesktopSnapshot, DesktopState } from "./logic/desktop";

export const readSnapshot = (): Promise<DesktopSnapshot | null> => fetchData<DesktopSnapshot | null>("/api/desktop/view");

export const readState = (): Promise<DesktopState> => fetchData<DesktopState>("/api/desktop/doctor");

/** Takes a new picture; without a window, of the one in front. */
export const takeSnapshot = (window: { app?: string; title?: string } = {}): Promise<DesktopSnapshot | null> => postJson<DesktopSnapshot | null>("/api/desktop/look", window);
