/** Wraps everything that acts on a page: reports what changed, with as short a wait as the page allows. */

import type { Changes, Floor, Target, Written } from "../page/api";
import type { Context, Result } from "./action";
import { staleIfGone } from "./aiming";
import { soon } from "./deadline";
import { isLeavingSince, isOpeningSince } from "./departures";
import { TOP, ask, askInOrder, ifGone } from "./page";
import { answering, type DialogAnswer, logOf } from "./observation";
import { journeySince, newTabSince, untilTab } from "./navigation";
import { OtherFrames, withClickId } from "./other_frames";
import { floorOf, raiseNumbers } from "./tasks";

/** A page that keeps changing isn't waited for any longer; the agent can look again. */
const RESTLESS_MS = 250;
/** Most server responses to a click arrive within this time. */
const REQUEST_MS = 400;
const COMMIT_MS = 3000;
const READY_MS = 1500;
const NEWS_MS = 60;
/** A page's reaction to a click arrives no later than this after the click. */
const HEARD_MS = 3;
const DOWNLOAD_MS = 300;
/** Most pages that started to navigate have left within this time, also on a busy machine. */
const LEAVING_MS = 500;
/** By then the browser has opened a window, unless it blocks the page. */
const WINDOW_MS = 200;

/**
 * `isWatched`: the page has been watching since it was aimed at; `isAlone`: it has no other frames. `isClick`: what listeners do with it counts as a
 * reaction; `isOne`: a single click that no other follows. `isKey`: the page gets time to react. `isJudged`: the page
 * reports whether everything was as shown. `written`: the page itself puts this into the field.
 */
export interface Effect { tabId: number; frameId: number; dialog?: DialogAnswer | undefined; isWatched?: boolean; isAlone?: boolean | undefined; isClick?: boolean; isOne?: boolean; isKey?: boolean; typedInto?: Target | undefined; written?: Written | undefined; answered?: (found: Changes) => void; isJudged?: boolean }

export async function withChanges(context: Context, effect: Effect, act: () => Promise<void>): Promise<Result> {
  const { tabId, frameId, dialog, isWatched } = effect;
  const moment = performance.now();
  const log = logOf(tabId);
  const earlier = log.takeDialogs();
  for (const { type, message, answer } of earlier) context.warnings.push(`Before this, a ${type} dialog opened by itself: ${JSON.stringify(message)}; it was ${answer ?? "left open"}.`);
  const downloadsBefore = new Set(log.downloads.keys());
  const changes: Result = {};
  let pageResult: Changes | undefined;
  let beside: OtherFrames | null = null;
  try {
    const isAlone = isWatched ? (effect.isAlone ?? frameId === TOP) : await staleIfGone(ask(tabId, frameId, "watch", {}));
    if (!isAlone) beside = await OtherFrames.watch(tabId, frameId);
    await answering(tabId, dialog, async () => {
      pageResult = await context.deadline.within(unlessLeft(context, tabId, moment, actAndSettle(context, effect, moment, act)));
    });
    Object.assign(changes, await pageChanges(context, tabId, frameId, moment, pageResult));
    if (beside && !changes["navigated"]) addTo(changes, await beside.changes("added" in changes || "removed" in changes));
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
  // A navigation that fails is usually a download, which the debugger reports a little later.
  if (!fresh() && journeySince(tabId, moment)?.error) await soon(log.nextEnd(), DOWNLOAD_MS, undefined);
  const download = fresh();
  if (download) changes["download"] = download;
  return { ...(Object.keys(changes).length ? { changes } : {}), ...(pageResult && frameId === TOP && !journeySince(tabId, moment) ? { pageUrl: pageResult.url } : {}) };
}

function addTo(changes: Result, more: Result): void {
  for (const name of ["added", "removed"]) if (more[name]) changes[name] = [...((changes[name] as string[] | undefined) ?? []), ...(more[name] as string[])];
  if (changes["added"] || changes["removed"]) delete changes["look"];
  else if (more["look"]) changes["look"] = true;
}

/** A document that was left may be frozen in the browser's cache and never respond. */
async function unlessLeft<T>({ deadline }: Context, tabId: number, moment: number, work: Promise<T>): Promise<T | undefined> {
  work.catch(() => undefined);
  const departure = untilTab(tabId, deadline.left(), () => journeySince(tabId, moment)?.committedAt !== undefined);
  return await Promise.race([work, departure.then(() => undefined)]);
}

/** Waits a moment for responses to requests that the action's scripts sent. */
async function actAndSettle({ deadline, warnings }: Context, { tabId, frameId, isClick = false, isOne = false, isKey = false, isJudged = false, typedInto, written, answered }: Effect, moment: number, act: () => Promise<void>): Promise<Changes | undefined> {
  const floor = (): Floor => floorOf(tabId);
  // In order, so that every request and every page requested before the answer is known.
  const rest = (isEager: boolean): Promise<Changes | undefined> =>
    askInOrder(tabId, frameId, "rest", { quietMs: Math.min(RESTLESS_MS, deadline.left() / 2), floor: floor(), isEager, isPatient: isClick || isKey, isJudged, isPressed: isJudged && isClick, ...(typedInto ? { typedInto } : {}), ...(written ? { written } : {}) }).catch(ifGone(undefined));
  const reaction = isOne && frameId === TOP && !isJudged ? ask(tabId, frameId, "hearClick", { floor: floor() }).catch(() => null) : null;
  await act();
  // The debugger doesn't report enough about frames in other processes to finish early.
  let first = (reaction && (await soon(reaction, HEARD_MS, null))) || (await rest(isClick && frameId === TOP));
  if (first) answered?.(first);
  if (first?.missed !== undefined) warnings.push(`The page changed as the mouse came: the click landed on ${first.missed} instead. Look again before you repeat it.`);
  if (first && isLeavingSince(tabId, moment)) {
    await untilTab(tabId, LEAVING_MS, () => journeySince(tabId, moment) !== undefined);
    if (first.isEarly) {
      const second = await rest(false);
      first = second && merge(first, second);
    }
  }
  const until = performance.now() + Math.min(REQUEST_MS, deadline.left() / 2);
  const log = logOf(tabId);
  if (!first || !log.openSince(moment)) return first;
  while (log.openSince(moment) && performance.now() < until && !journeySince(tabId, moment)) await soon(log.nextEnd(), until - performance.now(), undefined);
  if (log.openSince(moment) && !journeySince(tabId, moment)) warnings.push("The page still waits for its server's answer: look at it again.");
  const second = await ask(tabId, frameId, "changes", { floor: floor() }).catch(ifGone(undefined));
  return second && merge(first, second);
}

/** What appeared and disappeared in between was never seen. */
function merge(first: Changes, second: Changes): Changes {
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

async function pageChanges(context: Context, tabId: number, frameId: number, moment: number, pageResult: Changes | undefined): Promise<Result> {
  if (journeySince(tabId, moment)) return await describeArrival(context, tabId, moment);
  // If a document is gone without a known navigation, the browser has not reported it yet.
  if (!pageResult) return (await untilTab(tabId, isLeavingSince(tabId, moment) ? LEAVING_MS : NEWS_MS, () => journeySince(tabId, moment) !== undefined)) ? await describeArrival(context, tabId, moment) : {};
  await raiseNumbers(tabId, pageResult.next);
  return describeChanges(tabId, frameId, pageResult);
}

async function describeArrival({ deadline, warnings }: Context, tabId: number, moment: number): Promise<Result> {
  const remainingMs = (): number => Math.max(0, deadline.left() - 300);
  const isOver = (): boolean => {
    const journey = journeySince(tabId, moment);
    return !journey || journey.committedAt !== undefined || journey.error !== undefined;
  };
  await untilTab(tabId, Math.min(COMMIT_MS, remainingMs()), isOver);
  const journey = journeySince(tabId, moment);
  if (!journey || journey.error) return {};
  if (journey.committedAt === undefined) {
    warnings.push(`The page is still on its way to ${journey.url}.`);
    return {};
  }
  await untilTab(tabId, Math.min(READY_MS, remainingMs()), () => journeySince(tabId, moment)?.readyAt !== undefined);
  return { navigated: journeySince(tabId, moment)?.url ?? journey.url };
}

function describeChanges(tabId: number, frameId: number, { added, removed, more, isOtherLook }: Changes): Result {
  const named = (line: string): string => withClickId(tabId, frameId, line);
  return {
    ...(added.length ? { added: added.map(named) } : {}),
    ...(removed.length ? { removed: removed.map(named) } : {}),
    ...(more ? { more } : {}),
    ...(isOtherLook && !added.length && !removed.length ? { look: true } : {}),
  };
}
