/** Element names on the wire: `12` in the top frame, `f3:12` in the task's third frame. */

import type { Target } from "../page/api";
import { Failure } from "./failure";
import { frameNumber, frameWith } from "./tasks";

export interface Place { frameId: number; target: Target }

const SHAPE = /^(?:f([1-9]\d{0,8}):)?([1-9]\d{0,8})$/;

export function formatClickId(tabId: number, frameId: number, ref: number): string {
  return frameId === 0 ? String(ref) : `f${frameNumber(tabId, frameId)}:${ref}`;
}

export function parseClickId(tabId: number, clickId: string): Place {
  const match = SHAPE.exec(clickId);
  if (!match) throw new Failure("INVALID_TARGET", `${JSON.stringify(clickId)} isn't a clickId.`, { stale: true, hint: "Look at the page and use a clickId from there." });
  const ref = Number(match[2]);
  if (!match[1]) return { frameId: 0, target: { ref } };
  const frameId = frameWith(tabId, Number(match[1]));
  if (frameId === undefined) throw new Failure("INVALID_TARGET", `There is no frame ${match[1]} in this tab.`, { stale: true, hint: "Look at the page again." });
  return { frameId, target: { ref } };
}
