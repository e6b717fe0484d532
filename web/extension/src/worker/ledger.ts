/** Records which actions were started and how they ended. It survives the worker, so none is repeated or forgotten. */

import type { ActionResult, BrowserAction } from "../protocol";

export interface Entry { actionId: string; taskId: string; names: string[]; traceId?: string; result?: ActionResult; isDelivered: boolean; isStored: boolean }

const PREFIX = "action:";
const KEPT = 200;
/** Only the end is kept of a larger answer that was delivered. */
const LARGEST = 10_000;
/** Total bytes: the session storage has 10 MB, and once it is full nothing can be written. */
const ROOM = 6_000_000;

const keyOf = (actionId: string): string => PREFIX + actionId;

const sizeOf = (entry: Entry): number => new TextEncoder().encode(JSON.stringify(entry)).length;
const isLarge = ({ result }: Entry): boolean => result !== undefined && JSON.stringify(result).length > LARGEST;
const withoutPayload = (entry: Entry): Entry => (entry.result?.result ? { ...entry, result: { ...entry.result, result: { completed: true } } } : entry);

export class Ledger {
  private readonly entries = new Map<string, Entry>();
  private readonly sizes = new Map<string, number>();
  private readonly loaded: Promise<void>;

  constructor(private readonly storage: Pick<chrome.storage.StorageArea, "get" | "set" | "remove"> = chrome.storage.session) {
    this.loaded = this.load();
  }

  private async load(): Promise<void> {
    const stored = await this.storage.get<Record<string, Entry>>(null);
    for (const [key, entry] of Object.entries(stored)) {
      if (!key.startsWith(PREFIX)) continue;
      this.entries.set(entry.actionId, entry);
      this.sizes.set(entry.actionId, sizeOf(entry));
    }
  }

  async find(actionId: string): Promise<Entry | undefined> {
    await this.loaded;
    return this.entries.get(actionId);
  }

  /**
   * Callers don't await this: it is written before the action because it was sent to the browser first. A repeatable
   * action doesn't have to survive the worker, so it is stored only if it takes long.
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

  async forget(entry: Entry): Promise<void> {
    if (this.entries.get(entry.actionId) !== entry) return; // restarted in the meantime
    await this.drop([entry]);
  }

  async undelivered(): Promise<Entry[]> {
    await this.loaded;
    return [...this.entries.values()].filter((entry) => !entry.isDelivered);
  }

  private async write(entry: Entry): Promise<void> {
    if (!entry.isStored) return;
    while (this.entries.get(entry.actionId) === entry && !(await this.fits(entry.isDelivered && isLarge(entry) ? withoutPayload(entry) : entry))) {
      const oldest = this.disposable().find((one) => one.isStored && one !== entry);
      // No more room can be made; still worth recording that it ended.
      if (!oldest) return void (await this.fits(withoutPayload(entry)));
      await this.drop([oldest]);
    }
  }

  /** False if there is no room for it. */
  private async fits(entry: Entry): Promise<boolean> {
    const before = this.sizes.get(entry.actionId) ?? 0;
    const size = sizeOf(entry);
    if ([...this.sizes.values()].reduce((sum, one) => sum + one, size - before) > ROOM) return false;
    this.sizes.set(entry.actionId, size);
    const isWritten = await this.storage.set({ [keyOf(entry.actionId)]: entry }).then(() => true, () => false);
    if (!isWritten) this.sizes.set(entry.actionId, before);
    return isWritten;
  }

  private disposable(): Entry[] {
    return [...this.entries.values()].filter((entry) => entry.isDelivered);
  }

  private async trim(): Promise<void> {
    await this.drop(this.disposable().slice(0, Math.max(0, this.entries.size - KEPT)));
  }

  private async drop(surplus: Entry[]): Promise<void> {
    for (const { actionId } of surplus) {
      this.entries.delete(actionId);
      this.sizes.delete(actionId);
    }
    const stored = surplus.filter((entry) => entry.isStored);
    if (stored.length) await this.storage.remove(stored.map((entry) => keyOf(entry.actionId))).catch(() => undefined);
  }
}
