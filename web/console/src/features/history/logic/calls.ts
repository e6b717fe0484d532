/** Combines audit records into calls: one row per execution, from the records loaded so far. */

import type { PromptStatus } from "@handrail/host";

export interface AuditRecord {
  seq: number;
  ts: string;
  event?: string;
  executionId?: string;
  tool?: string;
  effect?: string;
  caller?: string;
  project?: string;
  task?: string;
  target?: string;
  /** A page of the console looked something up by itself; it is recorded, but isn't anyone's step. */
  isStatus?: boolean;
  decision?: string;
  ok?: boolean;
  error?: { condition?: string; code?: string; message?: string };
  durationMs?: number;
  evidence?: { dir: string; sha256: Record<string, string> };
  answer?: { status: PromptStatus; by: string; remark?: string };
  /** The execution that this one undoes. */
  undoes?: string;
  /** How it ended, as the server classifies it. */
  outcome?: Exclude<CallState, "running">;
}

/** `unknown`: it may have begun, and whether it was done is not known. */
export type CallState = "running" | "done" | "failed" | "denied" | "unanswered" | "unknown";
export type NotDone = Exclude<CallState, "running" | "done">;

/** A call without an end after this time was cut off: nothing runs or waits that long. */
const CUT_OFF_MS = 24 * 3600 * 1000;

export interface Call extends AuditRecord {
  executionId: string;
  state: CallState;
  /** When its first record was written. */
  startedAt: string;
}

function stateOf(record: AuditRecord): CallState {
  return record.outcome ?? (Date.now() - Date.parse(record.ts) > CUT_OFF_MS ? "unknown" : "running");
}

/** Newest first. `known` is not changed; records may come in any order and repeatedly. */
export function foldRecords(known: readonly Call[], records: readonly AuditRecord[]): Call[] {
  const calls = new Map(known.map((call) => [call.executionId, call]));
  for (const record of records) {
    const { executionId, isStatus } = record;
    if (!executionId || isStatus) continue;
    const earlier = calls.get(executionId);
    const isLater = !earlier || record.seq >= earlier.seq;
    const latest = isLater ? { ...earlier, ...record } : { ...record, ...earlier };
    const startedAt = earlier && earlier.startedAt < record.ts ? earlier.startedAt : record.ts;
    calls.set(executionId, { ...latest, executionId, startedAt, state: stateOf(latest) });
  }
  return [...calls.values()].sort((a, b) => b.seq - a.seq);
}

/** A completed write has a snapshot, which `undo` restores. */
export function canUndo(call: Call): boolean {
  return call.effect === "WRITE" && call.state === "done" && call.evidence !== undefined;
}

/** Executions that were undone and stayed so. `calls` is sorted newest first; an undo can be undone. */
export function undoneIn(calls: readonly Call[]): ReadonlySet<string> {
  const undone = new Set<string>();
  for (const { undoes, state, executionId } of calls) {
    if (undoes && state === "done" && !undone.has(executionId)) undone.add(undoes);
  }
  return undone;
}

const PICTURE = /\.(png|jpe?g|webp|gif)$/i;
export const isPicture = (file: string): boolean => PICTURE.test(file);

/** Before, then after. */
export function picturesOf({ evidence }: Call): string[] {
  const weight = (file: string): number => (/before/.test(file) ? 0 : /after/.test(file) ? 1 : 2);
  return Object.keys(evidence?.sha256 ?? {}).filter(isPicture).sort((a, b) => weight(a) - weight(b) || (a < b ? -1 : 1));
}

export function evidenceUrl(executionId: string, file: string): string {
  return `/api/evidence/${encodeURIComponent(executionId)}/${encodeURIComponent(file)}`;
}

/** Pictures come only from the evidence: a prompt can't make the console load anything else. */
export function imageUrl(path: string): string | null {
  const [executionId, file] = path.split("/").filter(Boolean).slice(-2);
  return executionId && file ? evidenceUrl(executionId, file) : null;
}
