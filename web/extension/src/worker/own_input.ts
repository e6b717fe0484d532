/** Tells the worker's own input from a person's: both are trusted events, but only one was announced here. */

export interface Announced { tabId: number; kind: "pointer" | "key"; x: number; y: number; key: string; until: number }
export interface Seen { kind: "pointer" | "key"; x: number; y: number; key: string }

/** An event that has not come by then was swallowed by the browser. */
const VALID_MS = 4000;
const NEAR_PX = 2;

export class OwnInput {
  private readonly announced: Announced[] = [];

  constructor(private readonly now: () => number = () => performance.now()) {}

  pointer(tabId: number, x: number, y: number): void {
    this.announced.push({ tabId, kind: "pointer", x, y, key: "", until: this.now() + VALID_MS });
  }

  key(tabId: number, key: string): void {
    this.announced.push({ tabId, kind: "key", x: 0, y: 0, key, until: this.now() + VALID_MS });
  }

  /** Each announcement stands for one event; every further one is a person's. */
  isOwn(tabId: number, seen: Seen): boolean {
    const now = this.now();
    const at = this.announced.findIndex((one) => one.until >= now && one.tabId === tabId && one.kind === seen.kind && matches(one, seen));
    for (let old = this.announced.length - 1; old >= 0; old--) if (this.announced[old]!.until < now) this.announced.splice(old, 1);
    if (at < 0) return false;
    this.announced.splice(this.announced.findIndex((one) => one.tabId === tabId && one.kind === seen.kind && matches(one, seen)), 1);
    return true;
  }
}

function matches(one: Announced, seen: Seen): boolean {
  return seen.kind === "key" ? one.key === seen.key : Math.abs(one.x - seen.x) <= NEAR_PX && Math.abs(one.y - seen.y) <= NEAR_PX;
}

export const ownInput = new OwnInput();
