/** Reports what an action changed on the page in lines: watches from before the action until the page is at rest. */

import type { PageRequest, Changes, Target } from "./api";
import { BADGE_ATTRIBUTE, comeBack } from "./badge";
import { candidates, type Candidates } from "./candidates";
import { nextFrame, twoFrames } from "./frame_clock";
import { isShown } from "./geometry";
import { lastVerdict } from "./guard";
import { visibleAmong } from "./index_page";
import { forget, isReported, indexedRoots, reportedLine, reportLine, reportedElements } from "./reported";
import { nameOf, roleOf, textOf } from "./names";
import { nextRef, startFrom } from "./refs";
import { awaitRelease, drained, hasMissed, isAnswer, missedPress, turns } from "./release";
import { closestAcross, shadowRootOf } from "./shadow";
import { type Look, lookOf } from "./look";
import { fieldValue, write } from "./typing";
import { survey, textChanges, type TextChanges } from "./text_changes";

/** At most this many lines about elements, and as many about texts. */
const MOST_LINES = 8;
const MANY = 20;
/** Two frames without a change. */
const QUIET_MS = 34;
/** As long as the worker may wait for a server's answer. */
const AFTERWARDS_MS = 1000;
const SPOKEN = "[role=alert],[role=status],[role=alertdialog],[role=dialog],[aria-live=polite],[aria-live=assertive],dialog,output";
/** Attributes that words tell about. Others, such as a picture's address, may only change the look. */
const TOLD = new Set([
  "class", "style", "hidden", "open", "disabled", "inert", "href", "value", "title", "alt", "aria-hidden", "aria-label", "aria-expanded", "aria-selected",
  "aria-checked", "aria-pressed", "aria-disabled", "aria-current", "aria-invalid",
]);
const WITHOUT_LOOK = /^(aria-|data-mimo|id$|name$|tabindex$)/;

let observer: MutationObserver | null = null;
/** Elements that were added or changed; `nudged` has those that only lost or gained something inside. */
const touched = new Set<Element>();
const nudged = new Set<Element>();
/** Whether something changed that is neither text nor an element that can be acted on. */
let hasOtherLook = false;
let lookBefore: Look | null = null;
let restlessAt = Number.NEGATIVE_INFINITY;
let ending: ReturnType<typeof setTimeout> | undefined;

/** Returns whether the page has no frames. */
export function watch(): boolean {
  end();
  awaitRelease();
  restlessAt = Number.NEGATIVE_INFINITY;
  survey();
  // What has left before isn't the action's doing.
  for (const element of [...reportedElements()]) if (!element.isConnected) forget(element);
  const roots = indexedRoots();
  lookBefore = lookOf(roots);
  observer = new MutationObserver(note);
  for (const root of roots) observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
  document.addEventListener("scroll", noteScroll, { capture: true, passive: true });
  for (const element of reportedFields()) fieldStates.set(element, stateOf(element));
  return window.parent === window && window.length === 0;
}

/** Values and check marks change without a mutation. */
const fieldStates = new WeakMap<Element, string>();
const stateOf = (element: Element): string =>
  element instanceof HTMLInputElement ? `${element.type === "password" ? element.value.length : element.value}|${element.checked}|${element.indeterminate}` : ((element as HTMLSelectElement).value ?? "");

function* reportedFields(): Generator<Element> {
  for (const element of reportedElements()) if (/^(INPUT|SELECT|TEXTAREA)$/.test(element.tagName)) yield element;
}

function note(records: MutationRecord[]): void {
  for (const record of records) {
    const target = record.target instanceof Element ? record.target : record.target.parentElement;
    if (target?.hasAttribute(BADGE_ATTRIBUTE)) continue;
    if (record.type === "childList") {
      const isOurs = [...record.addedNodes, ...record.removedNodes].every((node) => node instanceof Element && node.hasAttribute(BADGE_ATTRIBUTE));
      if (isOurs) continue;
      for (const node of record.addedNodes) if (node instanceof Element) touched.add(node);
      const around = target ?? (record.target instanceof ShadowRoot ? record.target.host : null);
      if (around && [...record.addedNodes].some((node) => node.nodeType === Node.TEXT_NODE)) touched.add(around);
      else if (around) nudged.add(around);
    } else if (target && record.type === "attributes" && !TOLD.has(record.attributeName!)) {
      hasOtherLook ||= isSeen(record, target);
      continue;
    } else if (target) {
      touched.add(target);
    }
    hasOtherLook ||= isSeen(record, target);
    // Scripted animations write styles all the time, which is no reason to wait.
    if (record.attributeName !== "style") restlessAt = performance.now();
  }
}

/** Lists inside the page scroll, too. */
const noteScroll = (): void => void (hasOtherLook = true);

/** Our own attributes don't count, nor does text that is written where it can't be seen. */
function isSeen(record: MutationRecord, target: Element | null): boolean {
  if (WITHOUT_LOOK.test(record.attributeName ?? "") || target?.closest(`[${BADGE_ATTRIBUTE}]`)) return false;
  return target !== null && target !== document.documentElement && target.closest("head") === null && isShown(target);
}

/** Elements for which the browser itself does something once all listeners have heard a click. */
const HAS_MORE_TO_COME = "a,area,input,select,option,textarea,label,summary,[popovertarget],[commandfor],[type=submit],[type=reset]";

/** The event's path doesn't tell what lies in a closed shadow tree. */
const isAllThere = (path: EventTarget[]): boolean =>
  path.every((one) => {
    if (!(one instanceof Element)) return true;
    const shadow = shadowRootOf(one);
    const leads = one.matches(HAS_MORE_TO_COME) || (one instanceof HTMLButtonElement && one.form !== null && one.type !== "button");
    return !leads && (!shadow || path.includes(shadow));
  });

let stopHearing: (() => void) | null = null;

/**
 * Called before the mouse is pressed. Returns what the page's listeners did with the click, before the browser
 * redraws; null if more is to come.
 */
export async function hearClick(request: PageRequest<"hearClick">): Promise<Changes | null> {
  stopHearing?.();
  startFrom(request.floor);
  return await new Promise((resolve) => {
    const hear = (event: MouseEvent): void => {
      stopHearing = null;
      const early = event.isTrusted && isAllThere(event.composedPath()) && !hasMissed() && document.visibilityState === "visible" ? clickReaction() : null;
      resolve(early && finish({ ...early, isEarly: true }));
    };
    // The window's last listener, so that all others have run. If a listener stops the event, this isn't waited for.
    window.addEventListener("click", hear, { once: true });
    stopHearing = () => {
      window.removeEventListener("click", hear);
      stopHearing = null;
      resolve(null);
    };
  });
}

/**
 * A page that has visibly reacted to a click is not waited for: an eager caller gets what its listeners did, others
 * also what they queued. A page without a reaction gets two frames, and a little longer while it is still changing.
 */
export async function rest(request: PageRequest<"rest">): Promise<Changes> {
  stopHearing?.();
  const wrote = request.written && (await write({ ...request.written, isTrusted: true }));
  const result = await atRest(request);
  const missed = missedPress();
  return { ...result, ...(wrote ? { wrote } : {}), ...(missed === null ? {} : { missed }) };
}

async function atRest(request: PageRequest<"rest">): Promise<Changes> {
  if (request.isJudged) await lastVerdict(request);
  const until = performance.now() + request.quietMs;
  startFrom(request.floor);
  if (document.visibilityState === "visible") {
    const early = request.isEager ? clickReaction() : null;
    if (early) return finish({ ...early, isEarly: true });
    const answer = request.typedInto ? await typingReaction(request.typedInto, request.written?.isHeard ?? true) : await drained().then(clickReaction);
    if (answer) return finish(answer);
  }
  await twoFrames();
  while (performance.now() < until && performance.now() - restlessAt < QUIET_MS) await nextFrame();
  const result = { ...compare(), ...(request.typedInto ? { held: fieldContent(request.typedInto) } : {}) };
  if (result.added.length + result.removed.length) return finish(result);
  // Many pages react a little later, and "no change" must be true.
  const quietAt = restlessAt;
  while (request.isPatient && performance.now() < until && restlessAt === quietAt) await nextFrame();
  if (restlessAt !== quietAt) await twoFrames();
  return finish({ ...compare(true), ...(request.typedInto ? { held: fieldContent(request.typedInto) } : {}) });
}

/**
 * The result of typing is the field's content. Only a page that reacts to it gets the time to run everything it has
 * queued.
 */
async function typingReaction(target: Target, isHeard: boolean): Promise<Changes | null> {
  if (isHeard) await turns();
  note(observer?.takeRecords() ?? []);
  if (touched.size || nudged.size) await drained();
  const result = compare();
  return result.added.length + result.removed.length ? { ...result, held: fieldContent(target) } : null;
}

function fieldContent(target: Target): string | null {
  try {
    return fieldValue(target);
  } catch {
    return null;
  }
}

/** What a click has changed, if there is something to report. */
function clickReaction(): Changes | null {
  note(observer?.takeRecords() ?? []);
  const result = isAnswer(restlessAt) ? compare() : null;
  return result && result.added.length + result.removed.length ? result : null;
}

/** The worker may ask once more, for later changes. */
function finish(result: Changes): Changes {
  reset();
  comeBack();
  ending = setTimeout(end, AFTERWARDS_MS);
  return result;
}

function end(): void {
  clearTimeout(ending);
  observer?.disconnect();
  document.removeEventListener("scroll", noteScroll, { capture: true });
  reset();
}

function reset(): void {
  touched.clear();
  nudged.clear();
  hasOtherLook = false;
}

/** What has changed since the page was at rest, and what it does with a server's answer that has just arrived. */
export async function changes(request: PageRequest<"changes">): Promise<Changes> {
  startFrom(request.floor);
  await drained();
  note(observer?.takeRecords() ?? []);
  // The page has not yet shown its reaction to the answer.
  if (!touched.size && !nudged.size) await twoFrames();
  const result = compare(true);
  end();
  return result;
}

/** `isWhole`: styles alone may have shown or hidden a text, without anything to observe. */
function compare(isWhole = false): Changes {
  note(observer?.takeRecords() ?? []);
  const added: string[] = [];
  const removed: string[] = [];
  let isTicked = false;
  for (const element of reportedFields()) {
    const before = fieldStates.get(element);
    if (before !== undefined && before !== stateOf(element)) {
      touched.add(element);
      // Styles depend on check marks.
      isTicked ||= !(element instanceof HTMLTextAreaElement) && !(element instanceof HTMLInputElement && element.selectionStart !== null);
    }
    fieldStates.set(element, stateOf(element));
  }
  if (touched.size || nudged.size || isWhole) {
    for (const element of [...reportedElements()]) {
      if (element.isConnected && isShown(element)) continue;
      removed.push(reportedLine(element));
      forget(element);
    }
    for (const element of affected()) {
      const isNew = !isReported(element);
      const before = isNew ? "" : reportedLine(element);
      const now = reportLine(element);
      if (now === before) continue;
      if (!isNew) removed.push(before);
      added.push(now);
    }
  }
  const messages = spokenMessages();
  let texts = textChanges(topmost(touched));
  const isSame = !added.length && !removed.length && !messages.length;
  if (((isWhole && isSame) || isTicked) && !texts.added.length && !texts.removed.length) texts = textChanges(null);
  const lines = textLines(texts, [...added, ...messages], removed);
  const [now, before] = [[...messages, ...lines.added], lines.removed];
  if (isWhole && isSame && !now.length && !before.length) hasOtherLook ||= looksDifferent();
  const more = [added, removed, now, before].reduce((sum, one) => sum + Math.max(0, one.length - MOST_LINES), 0);
  const few = (...parts: string[][]): string[] => parts.flatMap((one) => one.slice(0, MOST_LINES));
  return {
    added: few(added, now), removed: few(removed, before), more, next: nextRef(), url: location.href, isEarly: false,
    ...(isSame && !now.length && !before.length && hasOtherLook ? { isOtherLook: true } : {}),
  };
}

/** A drawing that can't be read may have changed. */
function looksDifferent(): boolean {
  const look = lookOf(indexedRoots());
  return look.isUnsure || look.print !== lookBefore?.print;
}

/** Texts that aren't already part of an element's line. */
function textLines({ added, removed }: TextChanges, now: string[], before: string[]): { added: string[]; removed: string[] } {
  const isSaid = (text: string, lines: string[]): boolean => lines.some((line) => line.includes(JSON.stringify(text).slice(1, -1)));
  const line = ({ text }: { text: string }): string => `text ${JSON.stringify(text)}`;
  return {
    added: [...new Set(added.filter(({ text }) => text && !isSaid(text, now)).map(line))],
    removed: [...new Set(removed.filter(({ text }) => text && !isSaid(text, before)).map(line))],
  };
}

function topmost(elements: Set<Element>): Element[] {
  return [...elements].filter((one) => one.isConnected && !hasTouchedAncestor(one));
}

/** Visible elements inside what changed, and the one around it: a changed text changes its button's name. */
function affected(): Set<Element> {
  const elements = new Set<Element>();
  for (const seen of visibleAmong(touchedCandidates())) elements.add(seen.element);
  for (const one of [...touched, ...nudged]) {
    const around = one.isConnected ? closestAcross(one, isReported) : null;
    if (around && isShown(around)) elements.add(around);
  }
  return elements;
}

/** Searches each changed element, or, if there are many, the whole page once. */
function touchedCandidates(): Candidates {
  const parts = topmost(touched);
  if (parts.length <= MANY) {
    const results = parts.map((one) => candidates(one));
    return { elements: results.flatMap(({ elements }) => elements), roots: results.flatMap(({ roots }) => roots) };
  }
  const { elements, roots } = candidates();
  return { elements: elements.filter((element) => closestAcross(element, (one) => touched.has(one)) !== null), roots };
}

function hasTouchedAncestor(element: Element): boolean {
  for (let at = element.parentElement; at; at = at.parentElement) if (touched.has(at)) return true;
  return false;
}

/** Messages that a screen reader would read out: alerts, statuses, dialogs. */
function spokenMessages(): string[] {
  const elements = new Set<Element>();
  for (const element of [...touched, ...nudged]) {
    if (!element.isConnected) continue;
    const around = element.closest(SPOKEN);
    if (around) elements.add(around);
    if (touched.has(element)) for (const inner of element.querySelectorAll(SPOKEN)) elements.add(inner);
  }
  return [...elements].filter(isShown).flatMap((element) => {
    const role = element.getAttribute("role") ?? (element.tagName === "DIALOG" ? "dialog" : "status");
    const text = role.endsWith("dialog") ? nameOf(element, roleOf(element)) || textOf(element, false) : textOf(element, false);
    return text ? [`${role} ${JSON.stringify(text.slice(0, 200))}`] : [];
  });
}
