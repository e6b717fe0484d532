/** The type of an action: its name, timeout, parameters and what it does. */

import { ACTIONS, type ActionName, type BrowserAction } from "../protocol";
import type { Deadline } from "./deadline";
import type { TabDocument } from "./own_pages";
import type { Parsed } from "./shape";

export interface Context {
  taskId: string;
  message: BrowserAction;
  deadline: Deadline;
  /**
   * Rejects if the page is one of handrail's own. An action that `isEager` waits for it before anything leaves the
   * browser.
   */
  allowed: Promise<TabDocument | null>;
  /** For the page: what the element was when a person was asked about it; nothing if nobody was asked. */
  expected?: { expected: string };
  /** Whether the page has frames; known if a person was asked. */
  hasFrames?: boolean;
  /** Refuses if frames around the element have changed. */
  lookAround?: () => Promise<void>;
  /** Reported to the agent beside the result. */
  warnings: string[];
}

export type Result = Record<string, unknown>;

export interface Action<N extends ActionName = any, S = any> {
  name: N;
  execMs: number;
  /** May be repeated when it is unknown whether it was done. */
  isIdempotent: boolean;
  /** Changes something in the browser, and therefore waits while a person is in control. */
  acts: boolean;
  /** Reads before it is known whether the page may be read; the result is returned only after that. */
  isEager?: true;
  params: S;
  run(context: Context, params: Parsed<S>): Promise<Result>;
}

/**
 * The server's declaration has the timeout and the repeatability. The parameters come first, so that the type of
 * `run`'s argument follows from them.
 */
export function define<N extends ActionName, S>(name: N, params: S, action: Pick<Action<N, S>, "run" | "isEager">): Action<N, S> {
  const { timeoutMs, isIdempotent, acts } = ACTIONS[name];
  return { name, execMs: timeoutMs, isIdempotent, acts, params, ...action };
}
