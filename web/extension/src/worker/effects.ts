/** Around everything that acts on a page: what it changed, waited for as briefly as the page allows. */

import type { Changes, Floor, Target, Written } from "../page/api";
import type { Context, Result } from "./action";
import { staleIfGone } from "./aiming";
import { formatClickId } from "./click_id";
import { soon } from "./deadline";
import { isLeavingSince, isOpeningSince } from "./departures";
import { TOP, ask, askInOrder, goneOr } from "./page";
import { answering, type DialogAnswer, logOf } from "./observation";
import { journeySince, newTabSince, untilTab } from "./navigation";
import { floorOf, raiseNumbers } from "./tasks";

/** A page that keeps changing is left after this; the agent can look again. */
const RESTLESS_MS = 250;
/** Answers of a server that a click asked for mostly come within this. */
const REQUEST_MS = 400;
const COMMIT_MS = 3000;
const READY_MS = 1500;
const NEWS_MS = 60;
/** An answer that a page gave while it heard the click comes no later than that the click was made. */
const HEARD_MS = 3;
const DOWNLOAD_MS = 300;
/** A page that asked to leave mostly does within this, on a busy machine too. */
const LEAVING_MS = 500;
/** By then the browser has opened a window, unless it does not let the page. */
const WINDOW_MS = 200;

/** `isWatched`: the page watches already, since it was aimed at. `isClick`: what listeners make of it is an answer; `isOne`: of one click, after which no other follows. `isKey`: a page is given time for one. `isJudged`: the page says whether it went as it was shown. `written`: the page itself puts this into the field. */
export interface Effect { tabId: number; frameId: number; dialog?: DialogAnswer | undefined; isWatched?: boolean; isClick?: boolean; isOne?: boolean; isKey?: boolean; typedInto?: Target | undefined; written?: Written | undefined; answered?: (found: Changes) => void; isJudged?: boolean }

export async function withChanges(context: Context, effect: Effect, act: () => Promise<void>): Promise<Result> {
  const { tabId, frameId, dialog, isWatched } = effect;
  const moment = performance.now();
  const log = logOf(tabId);
  const earlier = log.takeDialogs();
  for (const { type, message, answer } of earlier) context.warnings.push(`Before this, a ${type} dialog opened by itself: ${JSON.stringify(message)}; it was ${answer ?? "left open"}.`);
  const downloadsBefore = new Set(log.downloads.keys());
  const changes: Result = {};
  let found: Changes | undefined;
  try {
    if (!isWatched) await staleIfGone(ask(tabId, frameId, "watch", {}));
    await answering(tabId, dialog, async () => {
      found = await context.deadline.within(unlessLeft(context, tabId, moment, settled(context, effect, moment, act)));
    });
    Object.assign(changes, await pageChanges(context, tabId, frameId, moment, found));
  } catch (error) {
    const isClosed = await chrome.tabs.get(tabId).then(() => false, () => true);
    if (!isClosed) throw error;
    return { changes: { closed: true } };
  }
  const [opened, ...others] = log.takeDialogs();
  if (opened) changes["dialog"] = opened;
  for (const { type, message, answer } of others) context.warnings.push(`Then a ${type} dialog opened: ${JSON.stringify(message)}; it was ${answer ?? "left open"}.`);
  if (isOpeningSince(tabId, moment)) await untilTab(tabId, WINDOW_MS, () => newTabSince(tabId, moment) !== undefined);
  const newTab = newTabSince(tabId, moment);
  if (newTab !== undefined) changes["newTab"] = newTab;
  const fresh = () => [...log.downloads].find(([guid]) => !downloadsBefore.has(guid))?.[1];
  // A navigation that comes to nothing is most often a download, of which the debugger tells a little later.
  if (!fresh() && journeySince(tabId, moment)?.error) await soon(log.nextEnd(), DOWNLOAD_MS, undefined);
  const download = fresh();
  if (download) changes["download"] = download;
  return { ...(Object.keys(changes).length ? { changes } : {}), ...(found && frameId === TOP && !journeySince(tabId, moment) ? { pageUrl: found.url } : {}) };
}

/** A document that was left may lie frozen in the browser's cache, from where it never answers. */
async function unlessLeft<T>({ deadline }: Context, tabId: number, moment: number, work: Promise<T>): Promise<T | undefined> {
  work.catch(() => undefined);
  const left = untilTab(tabId, deadline.left(), () => journeySince(tabId, moment)?.committedAt !== undefined);
  return await Promise.race([work, left.then(() => undefined)]);
}

/** Requests that the action's scripts sent are given a moment to be answered. */
async function settled({ deadline, warnings }: Context, { tabId, frameId, isClick = false, isOne = false, isKey = false, isJudged = false, typedInto, written, answered }: Effect, moment: number, act: () => Promise<void>): Promise<Changes | undefined> {
  const floor = (): Floor => floorOf(tabId);
  // In order, so that every request is known that was sent before the answer, and every page that was asked for.
  const rest = (isEager: boolean): Promise<Changes | undefined> =>
    askInOrder(tabId, frameId, "rest", { quietMs: Math.min(RESTLESS_MS, deadline.left() / 2), floor: floor(), isEager, isPatient: isClick || isKey, isJudged, isPressed: isJudged && isClick, ...(typedInto ? { typedInto } : {}), ...(written ? { written } : {}) }).catch(goneOr(undefined));
  const heard = isOne && frameId === TOP && !isJudged ? ask(tabId, frameId, "hearClick", { floor: floor() }).catch(() => null) : null;
  await act();
  // Of frames in other processes the debugger does not tell enough for haste.
  let first = (heard && (await soon(heard, HEARD_MS, null))) || (await rest(isClick && frameId === TOP));
  if (first) answered?.(first);
  if (first?.missed !== undefined) warnings.push(`The page changed as the mouse came: the click landed on ${first.missed} instead. Look again before you repeat it.`);
  if (first && isLeavingSince(tabId, moment)) {
    await untilTab(tabId, LEAVING_MS, () => journeySince(tabId, moment) !== undefined);
    if (first.isEarly) {
      const second = await rest(false);
      first = second && together(first, second);
    }
  }
  const until = performance.now() + Math.min(REQUEST_MS, deadline.left() / 2);
  const log = logOf(tabId);
  if (!first || !log.openSince(moment)) return first;
  while (log.openSince(moment) && performance.now() < until && !journeySince(tabId, moment)) await soon(log.nextEnd(), until - performance.now(), undefined);
  const second = await ask(tabId, frameId, "changes", { floor: floor() }).catch(goneOr(undefined));
  return second && together(first, second);
}

/** What came and went in between was never seen. */
function together(first: Changes, second: Changes): Changes {
  const passing = new Set(first.added.filter((line) => second.removed.includes(line)));
  const lasting = (lines: string[]): string[] => lines.filter((line) => !passing.has(line));
  return {
    added: [...lasting(first.added), ...second.added],
    removed: [...first.removed, ...lasting(second.removed)],
    more: first.more + second.more,
    next: second.next,
    url: second.url,
    isEarly: second.isEarly,
    ...(first.isOtherLook || second.isOtherLook ? { isOtherLook: true as const } : {}),
  };
}

async function pageChanges(context: Context, tabId: number, frameId: number, moment: number, found: Changes | undefined): Promise<Result> {
  if (journeySince(tabId, moment)) return await arrival(context, tabId, moment);
  // A document that is gone without a journey is one whose journey the browser has not told yet.
  if (!found) return (await untilTab(tabId, isLeavingSince(tabId, moment) ? LEAVING_MS : NEWS_MS, () => journeySince(tabId, moment) !== undefined)) ? await arrival(context, tabId, moment) : {};
  await raiseNumbers(tabId, found.next);
  return told(tabId, frameId, found);
}

async function arrival({ deadline, warnings }: Context, tabId: number, moment: number): Promise<Result> {
  const left = (): number => Math.max(0, deadline.left() - 300);
  const isOver = (): boolean => {
    const journey = journeySince(tabId, moment);
    return !journey || journey.committedAt !== undefined || journey.error !== undefined;
  };
  await untilTab(tabId, Math.min(COMMIT_MS, left()), isOver);
  const journey = journeySince(tabId, moment);
  if (!journey || journey.error) return {};
  if (journey.committedAt === undefined) {
    warnings.push(`The page is still on its way to ${journey.url}.`);
    return {};
  }
  await untilTab(tabId, Math.min(READY_MS, left()), () => journeySince(tabId, moment)?.readyAt !== undefined);
  return { navigated: journeySince(tabId, moment)?.url ?? journey.url };
}

function told(tabId: number, frameId: number, { added, removed, more, isOtherLook }: Changes): Result {
  const named = (line: string): string => (frameId === TOP ? line : line.replace(/^\d+/, (ref) => formatClickId(tabId, frameId, Number(ref))));
  return {
    ...(added.length ? { added: added.map(named) } : {}),
    ...(removed.length ? { removed: removed.map(named) } : {}),
    ...(more ? { more } : {}),
    ...(isOtherLook && !added.length && !removed.length ? { look: true } : {}),
  };
}
