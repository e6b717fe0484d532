/** Who is in control of a task: a person takes over by touching the page, and hands back explicitly. */

import type { TakeoverReason, TaskStatus } from "../protocol";
import { showBadge } from "./badge";
import { allowAgain, isAttached } from "./debuggee";
import { interceptFileChooser } from "./observation";
import { endTask } from "./task_start";
import { allTasks, saveTasks, type Task, taskOf } from "./tasks";

export class Takeover {
  constructor(private readonly emit: (message: Record<string, unknown>) => Promise<void>) {}

  async takeOver(task: Task, reason: TakeoverReason): Promise<void> {
    if (task.status === "takeover") return;
    task.status = "takeover";
    task.reason = reason;
    task.isTakeoverKnown = false;
    await this.changed(task);
    await this.announce(task);
  }

  async handBack(task: Task): Promise<void> {
    if (task.status !== "takeover") return;
    this.giveBack(task);
    await this.changed(task);
    await this.emit({ type: "task_handback", taskId: task.taskId, timestamp: Date.now() }).catch(() => undefined);
  }

  async stop(task: Task): Promise<void> {
    await endTask(task, false);
    await this.emit({ type: "task_stopped", taskId: task.taskId, timestamp: Date.now() }).catch(() => undefined);
  }

  /**
   * Applies what was done in the console, now or while this browser was offline. A takeover that the server hasn't
   * received yet stays.
   */
  async applyStatus({ taskId, status, reading = false }: TaskStatus): Promise<void> {
    const task = taskOf(taskId);
    if (!task) return;
    if (status === "completed") {
      await endTask(task, false);
    } else if (status === "takeover") {
      if (task.status === "takeover" && task.isTakeoverKnown && (task.isRead ?? false) === reading) return;
      Object.assign(task, { status: "takeover", reason: task.reason ?? "console", isTakeoverKnown: true, isRead: reading });
      await this.changed(task);
    } else {
      await this.noticeWork(taskId);
    }
  }

  /**
   * The server pauses a task that was taken over. If it sends another action after it has learned of the takeover, the
   * task was handed back there.
   */
  async noticeWork(taskId: string): Promise<void> {
    const task = taskOf(taskId);
    if (task?.status !== "takeover" || !task.isTakeoverKnown) return;
    this.giveBack(task);
    await this.changed(task);
  }

  /**
   * Repeats takeovers to a server that was offline; a takeover that it already knew may have been handed back there
   * since.
   */
  async remind(): Promise<void> {
    for (const task of allTasks()) if (task.status === "takeover") await this.announce(task);
  }

  private giveBack(task: Task): void {
    task.status = "running";
    delete task.reason;
    delete task.isTakeoverKnown;
    delete task.isRead;
    allowAgain(task.tabs);
  }

  private async announce(task: Task): Promise<void> {
    const isHeard = await this.emit({ type: "task_takeover", taskId: task.taskId, reason: task.reason, ...(task.isTakeoverKnown ? { again: true } : {}), timestamp: Date.now() }).then(() => true, () => false);
    if (!isHeard || task.status !== "takeover") return;
    task.isTakeoverKnown = true;
    await saveTasks();
  }

  private async changed(task: Task): Promise<void> {
    await saveTasks();
    const isAgent = task.status === "running";
    await Promise.all(task.tabs.map((tabId) => showBadge(tabId)));
    await Promise.all(task.tabs.filter(isAttached).map((tabId) => interceptFileChooser(tabId, isAgent)));
  }
}
