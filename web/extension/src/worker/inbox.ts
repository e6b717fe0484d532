/**
 * Receives the server's messages: each action is done once, and its result is delivered, however many attempts it
 * takes.
 */

import type { Ack, ActionResult, BrowserAction, ConfirmAsk, TaskStatus } from "../protocol";
import { PROTOCOL } from "../protocol";
import { type Confirmations, isConfirmAsk } from "./confirmations";
import { Failure, failureOf } from "./failure";
import { type Entry, Ledger } from "./ledger";
import { Refused } from "./refused";
import { inLane, isActing, isIdempotent, runMessage } from "./runner";
import { clientId } from "./settings";
import type { Takeover } from "./takeover";
import { tasksLoaded } from "./tasks";

/** An action that takes longer than this is stored, so that the server learns about it if the worker is killed. */
const LONG_MS = 100;

export class Inbox {
  private readonly ledger = new Ledger();
  private readonly running = new Map<string, Promise<ActionResult>>();

  constructor(
    private readonly emit: (message: Record<string, unknown>) => Promise<void>,
    private readonly takeover: Pick<Takeover, "noticeWork" | "applyStatus">,
    private readonly confirmations: Pick<Confirmations, "open" | "close">,
  ) {}

  /** The acknowledgement means "received": everything that can be checked at once is checked here. */
  receive(message: Record<string, unknown>): Ack {
    const problem = problemOf(message);
    if (problem) return { ok: false, error: { code: "BAD_REQUEST", message: problem } };
    // In order of arrival: work that arrived before a takeover doesn't mean that the task was handed back.
    if (message["type"] === "confirm_ask") void this.confirmations.open(message as unknown as ConfirmAsk);
    else if (message["type"] === "confirm_close") void this.confirmations.close(message["confirmId"] as string);
    else if (message["type"] === "task_status") void tasksLoaded.then(() => this.takeover.applyStatus(message as unknown as TaskStatus));
    else void this.handle(message as unknown as BrowserAction, tasksLoaded.then(() => this.notice(message as unknown as BrowserAction)));
    return { ok: true };
  }

  /** A person may let an agent read in a task that they have taken over. */
  private async notice({ taskId, action }: BrowserAction): Promise<void> {
    if (isActing(Object.keys(action))) await this.takeover.noticeWork(taskId);
  }

  private async handle(message: BrowserAction, arrival: Promise<void>): Promise<void> {
    // Registered before the first wait: if the same message arrives twice in a row, both get the one result.
    let work = this.running.get(message.id);
    if (!work) {
      work = this.result(message, arrival);
      this.running.set(message.id, work);
      void work.finally(() => this.running.delete(message.id));
    }
    await this.deliver(await work);
  }

  /** Always returns a result, whatever goes wrong. */
  private async result(message: BrowserAction, arrival: Promise<void>): Promise<ActionResult> {
    try {
      return await this.done(message, arrival);
    } catch (error) {
      const failure = new Failure("PLUGIN_ERROR", failureOf(error).message);
      return failed({ actionId: message.id, taskId: message.taskId, traceId: message.traceId }, await clientId().catch(() => message.clientId ?? ""), failure);
    }
  }

  private async done(message: BrowserAction, arrival: Promise<void>): Promise<ActionResult> {
    arrival.catch(() => undefined); // checked below, or not needed
    const entry = await this.ledger.find(message.id);
    if (entry?.result) return entry.result;
    if (entry && !isIdempotent(entry.names)) return await interrupted(entry);
    const isRepeatable = isIdempotent(Object.keys(message.action));
    void this.ledger.begin(message, !isRepeatable);
    const taking = isRepeatable ? setTimeout(() => void this.ledger.store(message.id), LONG_MS) : undefined;
    await arrival;
    const id = await clientId();
    return await inLane(message.taskId, () => runMessage(message, id)).finally(() => clearTimeout(taking));
  }

  /** The answer is sent first and recorded in the same moment, so no kill can come in between. */
  private async deliver(result: ActionResult): Promise<void> {
    const delivery = this.isAcknowledged(result);
    void this.ledger.finish(result);
    if (await delivery) await this.ledger.delivered(result.actionId);
  }

  /**
   * If the server refuses a result, it has received it and nothing waits for it. A result that wasn't received is sent
   * again with the next connection.
   */
  private async isAcknowledged(result: ActionResult): Promise<boolean> {
    return await this.emit(result as unknown as Record<string, unknown>).then(() => true, (error: unknown) => error instanceof Refused);
  }

  /** After connecting: reports what was finished but not received, and what a killed worker left unfinished. */
  async catchUp(): Promise<void> {
    for (const entry of await this.ledger.undelivered()) {
      if (this.running.has(entry.actionId)) continue;
      if (entry.result) await this.deliver(entry.result);
      else if (!isIdempotent(entry.names)) await this.deliver(await interrupted(entry));
      // Repeatable actions are not recorded as failed: the server may ask for them again by the same id.
      else if (await this.isAcknowledged(await interrupted(entry))) await this.ledger.forget(entry);
    }
  }
}

async function interrupted(entry: Entry): Promise<ActionResult> {
  const isSafe = isIdempotent(entry.names);
  const message = isSafe ? "The browser stopped the extension before this was done." : "The browser stopped the extension meanwhile: this may have been done or not.";
  const failure = new Failure("PLUGIN_ERROR", message, { interrupted: true, ...(isSafe ? {} : { mayHaveBeenDone: true }), hint: "Look at the page before trying again." }, isSafe);
  return failed(entry, await clientId(), failure);
}

function failed({ actionId, taskId, traceId }: { actionId: string; taskId: string; traceId?: string | undefined }, clientId: string, failure: Failure): ActionResult {
  return { v: PROTOCOL, type: "browser_action_result", actionId, taskId, clientId, ...(traceId ? { traceId } : {}), status: "error", error: failure.wire() };
}

export function problemOf(message: Record<string, unknown>): string | null {
  if (typeof message !== "object" || message === null) return "a message must be an object";
  if (message["v"] !== undefined && message["v"] !== PROTOCOL) return `protocol ${String(message["v"])} is not spoken here, only ${PROTOCOL}`;
  if (message["type"] === "task_status") return typeof message["taskId"] === "string" && typeof message["status"] === "string" ? null : "taskId and status must be strings";
  if (message["type"] === "confirm_ask") return isConfirmAsk(message) ? null : "confirmId, digest, subject, title, text and lines are needed";
  if (message["type"] === "confirm_close") return typeof message["confirmId"] === "string" ? null : "confirmId must be a string";
  if (message["type"] !== "browser_action") return `unknown type ${JSON.stringify(message["type"])}`;
  for (const field of ["id", "taskId"]) if (typeof message[field] !== "string" || !message[field]) return `${field} must be a string`;
  if (typeof message["action"] !== "object" || message["action"] === null || Array.isArray(message["action"])) return "action must be an object";
  return null;
}
