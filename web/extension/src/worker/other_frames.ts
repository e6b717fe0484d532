/** What an action changed in the other frames of its page, which is one page to a person. */

import type { Changes } from "../page/api";
import type { Result } from "./action";
import { formatClickId } from "./click_id";
import { soon } from "./deadline";
import { deniedFrames } from "./denied_pages";
import { askFrames } from "./page";
import { floorOf, raiseNumbers } from "./tasks";

/** A frame that doesn't respond must not block the page. */
const FRAMES_MS = 500;

export class OtherFrames {
  private constructor(private readonly tabId: number, private readonly frameId: number, private readonly documents: Map<number, string>) {}

  /** Watches every frame but the action's own. */
  static async watch(tabId: number, frameId: number): Promise<OtherFrames> {
    const frames = new OtherFrames(tabId, frameId, await documentsOf(tabId, frameId));
    await soon(askFrames(tabId, [...frames.documents.keys()], "watch", {}).catch(() => []), FRAMES_MS, []);
    return frames;
  }

  /** Frames that show another page now and, unless something `isTold` already, what changed inside the others. */
  async changes(isTold: boolean): Promise<Result> {
    const now = await documentsOf(this.tabId, this.frameId);
    const isNew = (frameId: number): boolean => this.documents.get(frameId) !== now.get(frameId);
    const arrived = [...now.keys()].filter(isNew);
    const same = isTold ? [] : [...now.keys()].filter((frameId) => !isNew(frameId));
    const answers = same.length ? await soon(askFrames(this.tabId, same, "changes", { floor: floorOf(this.tabId) }).catch(() => []), FRAMES_MS, []) : [];
    if (answers.length) await raiseNumbers(this.tabId, Math.max(...answers.map(({ value }) => value.next)));
    const lines = (pick: (changes: Changes) => string[]): string[] => answers.flatMap(({ frameId, value }) => pick(value).map((line) => withClickId(this.tabId, frameId, line)));
    const added = [...arrived.map((frameId) => `frame now at ${now.get(frameId)!.split(" ")[1]}`), ...lines(({ added }) => added)];
    const removed = lines(({ removed }) => removed);
    const isOtherLook = answers.some(({ value }) => value.isOtherLook);
    return { ...(added.length ? { added } : {}), ...(removed.length ? { removed } : {}), ...(isOtherLook && !added.length && !removed.length ? { look: true } : {}) };
  }
}

export const withClickId = (tabId: number, frameId: number, line: string): string => line.replace(/^\d+/, (ref) => formatClickId(tabId, frameId, Number(ref)));

/** Which document each other frame shows, and its address. */
async function documentsOf(tabId: number, except: number): Promise<Map<number, string>> {
  const [frames, denied] = await Promise.all([chrome.webNavigation.getAllFrames({ tabId }), deniedFrames(tabId)]);
  return new Map((frames ?? []).filter(({ frameId }) => frameId !== except && !denied.has(frameId)).map(({ frameId, documentId, url }) => [frameId, `${documentId} ${url}`]));
}
