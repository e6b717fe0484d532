/** What the page of the desktop asks the server for. */

import { fetchData, postJson } from "@handrail/host";
import type { DesktopSight, DesktopState } from "./logic/desktop";

export const readSight = (): Promise<DesktopSight | null> => fetchData<DesktopSight | null>("/api/desktop/view");

export const readState = (): Promise<DesktopState> => fetchData<DesktopState>("/api/desktop/doctor");

/** A fresh look; without a window, at the one in front. */
export const look = (window: { app?: string; title?: string } = {}): Promise<DesktopSight | null> => postJson<DesktopSight | null>("/api/desktop/look", window);
