/** What an action is: its name, its patience, its parameters and what it does; everything else is around it. */

import { ACTIONS, type ActionName, type BrowserAction } from "../protocol";
import type { Deadline } from "./deadline";
import type { Look } from "./own_pages";
import type { Parsed } from "./shape";

export interface Context {
  taskId: string;
  message: BrowserAction;
  deadline: Deadline;
  /** Rejects where the page is one of handrail's own. What `isEager` waits for it before anything leaves the browser. */
  allowed: Promise<Look | null>;
  /** For the page: what the element was when a person was asked about it. Nothing where nobody was. */
  expected?: { expected: string };
  /** Whether the page has frames; known where a person was asked. */
  hasFrames?: boolean;
  /** Refuses where frames around the element have changed. */
  lookAround?: () => Promise<void>;
  /** Said to the agent beside the result. */
  warnings: string[];
}

export type Result = Record<string, unknown>;

export interface Action<N extends ActionName = any, S = any> {
  name: N;
  execMs: number;
  /** May be done again when nobody knows whether it was done. */
  isIdempotent: boolean;
  /** Changes something in the browser, and so waits while a person has the wheel. */
  acts: boolean;
  /** Reads before it is known whether the page may be read; what it has read is told only then. */
  isEager?: true;
  params: S;
  run(context: Context, params: Parsed<S>): Promise<Result>;
}

/** The server's declaration says how long it takes and whether it may be repeated. The parameters come first, so that what `run` gets is known from them. */
export function define<N extends ActionName, S>(name: N, params: S, action: Pick<Action<N, S>, "run" | "isEager">): Action<N, S> {
  const { timeoutMs, isIdempotent, acts } = ACTIONS[name];
  return { name, execMs: timeoutMs, isIdempotent, acts, params, ...action };
}
