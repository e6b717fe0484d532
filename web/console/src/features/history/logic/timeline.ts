/** A task's calls as a timeline: related steps are one row, and each row is one sentence. */

import { actOf, type Act } from "../../../logic/acts";
import type { Call } from "./calls";

export interface TimelineStep {
  /** Stays the same while calls are added to it. */
  id: string;
  /** The oldest first. */
  calls: readonly Call[];
  /** Consecutive reads are grouped; everything else stands alone. */
  isGroup: boolean;
}

const LOOKING: ReadonlySet<Act> = new Set(["read", "list", "search", "look", "wait", "check"]);
const MOST_IN_ONE = 200;

/** `calls` may come in any order. */
export function timelineOf(calls: readonly Call[]): TimelineStep[] {
  const inOrder = [...calls].sort((a, b) => (a.startedAt < b.startedAt ? -1 : a.startedAt > b.startedAt ? 1 : a.seq - b.seq));
  const steps: { id: string; calls: Call[]; isGroup: boolean }[] = [];
  for (const call of inOrder) {
    if (isReport(call)) continue;
    const last = steps.at(-1);
    if (isLook(call)) {
      if (last?.isGroup && last.calls.length < MOST_IN_ONE) last.calls.push(call);
      else steps.push({ id: call.executionId, calls: [call], isGroup: true });
    } else steps.push({ id: call.executionId, calls: [call], isGroup: false });
  }
  return steps;
}

/** What a client tells its hook after a step of its own says nothing that the step doesn't. */
const isReport = ({ tool, state }: Call): boolean => tool === "native_outcome" && state === "done";

/** Only successful ones: a failed or denied call deserves its own row. */
function isLook({ effect, tool, state }: Call): boolean {
  return effect === "READ" && state === "done" && LOOKING.has(actOf(tool ?? ""));
}

/** How often each act occurs in a group, in order of first occurrence. */
export function actsIn({ calls }: TimelineStep): [Act, readonly Call[]][] {
  const groups = new Map<Act, Call[]>();
  for (const call of calls) {
    const act = actOf(call.tool ?? "");
    groups.set(act, [...(groups.get(act) ?? []), call]);
  }
  return [...groups];
}

/** The names behind a group's numbers, each once, except those in its sentence. */
export function namesOf(step: TimelineStep): string[] {
  const acts = actsIn(step);
  const said = new Set([".", ...acts.flatMap(([, calls]) => (calls.length === 1 ? (calls[0]!.target ?? []) : []))]);
  const counted = acts.flatMap(([, calls]) => (calls.length > 1 ? calls : []));
  return [...new Set(counted.flatMap(({ target }) => (target && !said.has(target) ? target : [])))];
}

export type Verdict = "you" | "task" | "rule" | "denied" | "timeout" | null;

/** Why it was allowed or not; null if that needs no words. */
export function verdictOf({ answer, decision = "", state }: Call): Verdict {
  if (answer?.status === "canceled") return "denied";
  if (answer?.status === "timeout") return "timeout";
  if (answer?.by.startsWith("allowed for this task")) return "task";
  if (answer?.status === "ok") return "you";
  if (state === "denied") return "rule";
  return /^allow \((?!default)/.test(decision) ? "rule" : null;
}

/** The most telling lines of a diff, for a thumbnail. */
export function diffGist(diff: string, most = 4): { lines: { kind: "add" | "delete"; text: string }[]; added: number; deleted: number } {
  const lines: { kind: "add" | "delete"; text: string }[] = [];
  let [added, deleted] = [0, 0];
  let isBody = false;
  for (const line of diff.split("\n")) {
    if (line.startsWith("@@")) isBody = true;
    else if (line.startsWith("--- ")) isBody = isBody && !/^--- (a\/|\/dev\/null)/.test(line);
    if (!isBody || line.startsWith("@@")) continue;
    const kind = line[0] === "+" ? "add" : line[0] === "-" ? "delete" : null;
    if (kind === "add") added++;
    if (kind === "delete") deleted++;
    if (kind && lines.length < most) lines.push({ kind, text: line.slice(1) });
  }
  return { lines, added, deleted };
}
