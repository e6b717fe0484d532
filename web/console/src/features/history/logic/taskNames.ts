/** A task's display name, and its name in addresses. */

import { tasks as conversations } from "../../browser/store";
import { agentLook } from "../../../logic/agents";
import { texts } from "../../../store";
import type { TaskSummary } from "../actions/tasks";

export const REPLAY = "replay:";

/** The task's name in an address. */
export const keyOf = ({ task, caller }: { task?: string; caller: string }): string => (task === undefined ? `caller:${caller}` : `task:${task}`);

/** What the person did in the console or on the command line, outside of tasks. */
export const isOwn = ({ task, caller }: { task?: string; caller: string }): boolean => task === undefined && /^(?:console|cli):/.test(caller);

export function titleOf({ task, caller, first }: TaskSummary): string {
  const title = task === undefined ? "" : conversations.value.find(({ taskId }) => taskId === task)?.title;
  if (title) return title;
  const [, name = caller] = caller.split(":");
  if (/^(?:console|cli):/.test(caller)) return texts.value.ownActions;
  return caller ? texts.value.sessionOf(agentLook(name).name) : task || first;
}
