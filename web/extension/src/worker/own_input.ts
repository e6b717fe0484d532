/**
 * Distinguishes the worker's own input from a person's: both are trusted events, but only its own was announced here.
 */

export interface AnnouncedInput { tabId: number; kind: "pointer" | "key"; x: number; y: number; key: string; until: number }
export interface ObservedInput { kind: "pointer" | "key"; x: number; y: number; key: string }

/** An event that hasn't arrived by then was swallowed by the browser. */
const VALID_MS = 4000;
const NEAR_PX = 2;

export class OwnInput {
  private readonly announced: AnnouncedInput[] = [];

  constructor(private readonly now: () => number = () => performance.now()) {}

  pointer(tabId: number, x: number, y: number): void {
    this.announced.push({ tabId, kind: "pointer", x, y, key: "", until: this.now() + VALID_MS });
  }

  key(tabId: number, key: string): void {
    this.announced.push({ tabId, kind: "key", x: 0, y: 0, key, until: this.now() + VALID_MS });
  }

  /** Each announcement stands for one event; every further one is a person's. */
  isOwn(tabId: number, input: ObservedInput): boolean {
    const now = this.now();
    const at = this.announced.findIndex((one) => one.until >= now && one.tabId === tabId && one.kind === input.kind && matches(one, input));
    for (let old = this.announced.length - 1; old >= 0; old--) if (this.announced[old]!.until < now) this.announced.splice(old, 1);
    if (at < 0) return false;
    this.announced.splice(this.announced.findIndex((one) => one.tabId === tabId && one.kind === input.kind && matches(one, input)), 1);
    return true;
  }
}

function matches(one: AnnouncedInput, input: ObservedInput): boolean {
  return input.kind === "key" ? one.key === input.key : Math.abs(one.x - input.x) <= NEAR_PX && Math.abs(one.y - input.y) <= NEAR_PX;
}

export const ownInput = new OwnInput();
