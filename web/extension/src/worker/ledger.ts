/** Which actions were begun and how they ended; it survives the worker, so that none is done twice or forgotten. */

import type { ActionResult, BrowserAction } from "../protocol";

export interface Entry { actionId: string; taskId: string; names: string[]; traceId?: string; result?: ActionResult; isDelivered: boolean; isStored: boolean }

const PREFIX = "action:";
const KEPT = 200;
/** The whole session storage has 10 MB; a large answer is remembered only by its end. */
const LARGEST = 200_000;

const keyOf = (actionId: string): string => PREFIX + actionId;

export class Ledger {
  private readonly entries = new Map<string, Entry>();
  private readonly loaded: Promise<void>;

  constructor(private readonly storage: Pick<chrome.storage.StorageArea, "get" | "set" | "remove"> = chrome.storage.session) {
    this.loaded = this.load();
  }

  private async load(): Promise<void> {
    const stored = await this.storage.get<Record<string, Entry>>(null);
    for (const [key, entry] of Object.entries(stored)) if (key.startsWith(PREFIX)) this.entries.set(entry.actionId, entry);
  }

  async find(actionId: string): Promise<Entry | undefined> {
    await this.loaded;
    return this.entries.get(actionId);
  }

  /**
   * Not awaited by its callers: what was sent to the browser before the action is written before it.
   * What may be done again need not survive the worker, and is stored only once it takes long.
   */
  async begin(message: BrowserAction, isStored: boolean): Promise<void> {
    const entry: Entry = { actionId: message.id, taskId: message.taskId, names: Object.keys(message.action), isDelivered: false, isStored };
    if (message.traceId) entry.traceId = message.traceId;
    this.entries.set(entry.actionId, entry);
    await this.write(entry);
    await this.trim();
  }

  async store(actionId: string): Promise<void> {
    const entry = this.entries.get(actionId);
    if (!entry || entry.isStored) return;
    entry.isStored = true;
    await this.write(entry);
  }

  async finish(result: ActionResult): Promise<void> {
    const entry = this.entries.get(result.actionId);
    if (!entry) return;
    entry.result = result;
    await this.write(entry);
  }

  async delivered(actionId: string): Promise<void> {
    const entry = this.entries.get(actionId);
    if (!entry) return;
    entry.isDelivered = true;
    await this.write(entry);
  }

  async undelivered(): Promise<Entry[]> {
    await this.loaded;
    return [...this.entries.values()].filter((entry) => !entry.isDelivered);
  }

  private async write(entry: Entry): Promise<void> {
    if (!entry.isStored) return;
    const isLarge = entry.result !== undefined && JSON.stringify(entry.result).length > LARGEST;
    const stored = isLarge && entry.isDelivered ? { ...entry, result: { ...entry.result, result: { completed: true } } } : entry;
    await this.storage.set({ [keyOf(entry.actionId)]: stored });
  }

  private async trim(): Promise<void> {
    const surplus = [...this.entries.values()].filter((entry) => entry.isDelivered).slice(0, Math.max(0, this.entries.size - KEPT));
    for (const { actionId } of surplus) this.entries.delete(actionId);
    const stored = surplus.filter((entry) => entry.isStored);
    if (stored.length) await this.storage.remove(stored.map((entry) => keyOf(entry.actionId)));
  }
}
