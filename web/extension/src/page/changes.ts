/** What an action changed on the page, told in lines: watched from before the action until the page rests. */

import type { Ask, Changes, Target } from "./api";
import { BADGE_ATTRIBUTE, comeBack } from "./badge";
import { candidates, type Candidates } from "./candidates";
import { nextFrame, twoFrames } from "./frame_clock";
import { isShown } from "./geometry";
import { lastVerdict } from "./guard";
import { visibleAmong } from "./index_page";
import { forget, isTold, knownRoots, lineBefore, tell, toldElements } from "./known";
import { nameOf, roleOf, textOf } from "./names";
import { nextRef, startFrom } from "./refs";
import { awaitRelease, drained, hasMissed, isAnswer, missedPress, turns } from "./release";
import { closestAcross, shadowRootOf } from "./shadow";
import { fieldValue, write } from "./typing";
import { survey, textChanges, type TextChanges } from "./text_changes";

/** Of elements, and as many of texts. */
const MOST_LINES = 8;
const MANY = 20;
/** Two frames without a change. */
const QUIET_MS = 34;
/** As long as the worker may wait for a server's answer. */
const AFTERWARDS_MS = 1000;
const SPOKEN = "[role=alert],[role=status],[role=alertdialog],[role=dialog],[aria-live=polite],[aria-live=assertive],dialog,output";
const WATCHED = [
  "class", "style", "hidden", "open", "disabled", "inert", "href", "value", "title", "alt", "aria-hidden", "aria-label", "aria-expanded", "aria-selected",
  "aria-checked", "aria-pressed", "aria-disabled", "aria-current", "aria-invalid",
];

let observer: MutationObserver | null = null;
/** What was added or changed by itself; `nudged` is what has only lost or gained something inside. */
const touched = new Set<Element>();
const nudged = new Set<Element>();
/** That something was changed which is neither text nor an element that can be acted on. */
let hasOtherLook = false;
let restlessAt = Number.NEGATIVE_INFINITY;
let ending: ReturnType<typeof setTimeout> | undefined;

export function watch(): void {
  end();
  awaitRelease();
  restlessAt = Number.NEGATIVE_INFINITY;
  survey();
  observer = new MutationObserver(note);
  for (const root of knownRoots()) {
    observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: WATCHED });
  }
  for (const element of fieldsTold()) fieldStates.set(element, stateOf(element));
}

/** Values and ticks change without a mutation. */
const fieldStates = new WeakMap<Element, string>();
const stateOf = (element: Element): string =>
  element instanceof HTMLInputElement ? `${element.type === "password" ? element.value.length : element.value}|${element.checked}` : ((element as HTMLSelectElement).value ?? "");

function* fieldsTold(): Generator<Element> {
  for (const element of toldElements()) if (/^(INPUT|SELECT|TEXTAREA)$/.test(element.tagName)) yield element;
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
    } else if (target) {
      touched.add(target);
    }
    hasOtherLook ||= isSeen(record, target);
    // Scripted animation writes styles all the time, and is no reason to wait.
    if (record.attributeName !== "style") restlessAt = performance.now();
  }
}

/** Ours mark nothing; what is written where nobody sees it isn't a change of the page. */
function isSeen(record: MutationRecord, target: Element | null): boolean {
  if (record.attributeName?.startsWith("aria-") || target?.closest(`[${BADGE_ATTRIBUTE}]`)) return false;
  return target !== null && target !== document.documentElement && target.closest("head") === null && isShown(target);
}

/** What the browser does by itself once all listeners have heard a click. */
const HAS_MORE_TO_COME = "a,area,input,select,option,textarea,label,summary,[popovertarget],[commandfor],[type=submit],[type=reset]";

/** Of what lies in a closed shadow the path says nothing. */
const isAllThere = (path: EventTarget[]): boolean =>
  path.every((one) => {
    if (!(one instanceof Element)) return true;
    const shadow = shadowRootOf(one);
    const leads = one.matches(HAS_MORE_TO_COME) || (one instanceof HTMLButtonElement && one.form !== null && one.type !== "button");
    return !leads && (!shadow || path.includes(shadow));
  });

let stopHearing: (() => void) | null = null;

/** Asked before the mouse comes: what the page's listeners make of the click, told before the browser draws it; null where more is to come. */
export async function hearClick(ask: Ask<"hearClick">): Promise<Changes | null> {
  stopHearing?.();
  startFrom(ask.floor);
  return await new Promise((resolve) => {
    const hear = (event: MouseEvent): void => {
      stopHearing = null;
      const early = event.isTrusted && isAllThere(event.composedPath()) && !hasMissed() && document.visibilityState === "visible" ? told() : null;
      resolve(early && answered({ ...early, isEarly: true }));
    };
    // The last of the window's, so that all others have run; where a listener keeps the event to itself, nobody waits for this.
    window.addEventListener("click", hear, { once: true });
    stopHearing = () => {
      window.removeEventListener("click", hear);
      stopHearing = null;
      resolve(null);
    };
  });
}

/**
 * A page that has answered a click with something to tell is not waited for: who is eager takes what its listeners did,
 * others what they queued as well. A page without an answer is given two frames; longer, but not much, while it is
 * still being changed.
 */
export async function rest(ask: Ask<"rest">): Promise<Changes> {
  stopHearing?.();
  const wrote = ask.written && (await write({ ...ask.written, isTrusted: true }));
  const found = await atRest(ask);
  const missed = missedPress();
  return { ...found, ...(wrote ? { wrote } : {}), ...(missed === null ? {} : { missed }) };
}

async function atRest(ask: Ask<"rest">): Promise<Changes> {
  if (ask.isJudged) await lastVerdict(ask);
  const until = performance.now() + ask.quietMs;
  startFrom(ask.floor);
  if (document.visibilityState === "visible") {
    const early = ask.isEager ? told() : null;
    if (early) return answered({ ...early, isEarly: true });
    const answer = ask.typedInto ? await inField(ask.typedInto, ask.written?.isHeard ?? true) : await drained().then(told);
    if (answer) return answered(answer);
  }
  await twoFrames();
  while (performance.now() < until && performance.now() - restlessAt < QUIET_MS) await nextFrame();
  const found = { ...compare(), ...(ask.typedInto ? { held: heldBy(ask.typedInto) } : {}) };
  if (found.added.length + found.removed.length) return answered(found);
  // Many pages answer a little later, and "no change" must be true.
  const quietAt = restlessAt;
  while (ask.isPatient && performance.now() < until && restlessAt === quietAt) await nextFrame();
  if (restlessAt !== quietAt) await twoFrames();
  return answered({ ...compare(true), ...(ask.typedInto ? { held: heldBy(ask.typedInto) } : {}) });
}

/** Typing is answered by what the field holds. Only a page that is changed by it is given the time to run all that it has queued. */
async function inField(target: Target, isHeard: boolean): Promise<Changes | null> {
  if (isHeard) await turns();
  note(observer?.takeRecords() ?? []);
  if (touched.size || nudged.size) await drained();
  const found = compare();
  return found.added.length + found.removed.length ? { ...found, held: heldBy(target) } : null;
}

function heldBy(target: Target): string | null {
  try {
    return fieldValue(target);
  } catch {
    return null;
  }
}

/** What a click has changed, where that is something to tell. */
function told(): Changes | null {
  note(observer?.takeRecords() ?? []);
  const found = isAnswer(restlessAt) ? compare() : null;
  return found && found.added.length + found.removed.length ? found : null;
}

/** The worker may ask once more, for what came after. */
function answered(found: Changes): Changes {
  settle();
  comeBack();
  ending = setTimeout(end, AFTERWARDS_MS);
  return found;
}

function end(): void {
  clearTimeout(ending);
  observer?.disconnect();
  settle();
}

function settle(): void {
  touched.clear();
  nudged.clear();
  hasOtherLook = false;
}

/** What has changed since the page was at rest, and what it does with a server's answer that has just come. */
export async function changes(ask: Ask<"changes">): Promise<Changes> {
  startFrom(ask.floor);
  await drained();
  note(observer?.takeRecords() ?? []);
  // The page has not shown yet what it makes of the answer.
  if (!touched.size && !nudged.size) await twoFrames();
  const found = compare(true);
  end();
  return found;
}

/** `isWhole`: styles alone may have shown or hidden a text, without anything that could be observed. */
function compare(isWhole = false): Changes {
  note(observer?.takeRecords() ?? []);
  const added: string[] = [];
  const removed: string[] = [];
  let isTicked = false;
  for (const element of fieldsTold()) {
    const before = fieldStates.get(element);
    if (before !== undefined && before !== stateOf(element)) {
      touched.add(element);
      // Styles follow a tick by themselves.
      isTicked ||= !(element instanceof HTMLTextAreaElement) && !(element instanceof HTMLInputElement && element.selectionStart !== null);
    }
    fieldStates.set(element, stateOf(element));
  }
  if (touched.size || nudged.size || isWhole) {
    for (const element of [...toldElements()]) {
      if (element.isConnected && isShown(element)) continue;
      removed.push(lineBefore(element));
      forget(element);
    }
    for (const element of affected()) {
      const isNew = !isTold(element);
      const before = isNew ? "" : lineBefore(element);
      const now = tell(element);
      if (now === before) continue;
      if (!isNew) removed.push(before);
      added.push(now);
    }
  }
  const said = spoken();
  let texts = textChanges(topmost(touched));
  const isSame = !added.length && !removed.length && !said.length;
  if (((isWhole && isSame) || isTicked) && !texts.added.length && !texts.removed.length) texts = textChanges(null);
  const lines = textLines(texts, [...added, ...said], removed);
  const [now, before] = [[...said, ...lines.added], lines.removed];
  const more = [added, removed, now, before].reduce((sum, one) => sum + Math.max(0, one.length - MOST_LINES), 0);
  const few = (...parts: string[][]): string[] => parts.flatMap((one) => one.slice(0, MOST_LINES));
  return {
    added: few(added, now), removed: few(removed, before), more, next: nextRef(), url: location.href, isEarly: false,
    ...(isSame && !now.length && !before.length && hasOtherLook ? { isOtherLook: true } : {}),
  };
}

/** Texts that no line of an element has already. */
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

/** Visible elements inside what was touched, and the one around it: a text that changes changes its button's name. */
function affected(): Set<Element> {
  const found = new Set<Element>();
  for (const seen of visibleAmong(candidatesTouched())) found.add(seen.element);
  for (const one of [...touched, ...nudged]) {
    const around = one.isConnected ? closestAcross(one, isTold) : null;
    if (around && isShown(around)) found.add(around);
  }
  return found;
}

/** Looked for in each of them, or, where they are many, in the whole page once. */
function candidatesTouched(): Candidates {
  const parts = topmost(touched);
  if (parts.length <= MANY) {
    const found = parts.map((one) => candidates(one));
    return { elements: found.flatMap(({ elements }) => elements), roots: found.flatMap(({ roots }) => roots) };
  }
  const { elements, roots } = candidates();
  return { elements: elements.filter((element) => closestAcross(element, (one) => touched.has(one)) !== null), roots };
}

function hasTouchedAncestor(element: Element): boolean {
  for (let at = element.parentElement; at; at = at.parentElement) if (touched.has(at)) return true;
  return false;
}

/** Messages that a screen reader would speak: alerts, statuses, dialogs. */
function spoken(): string[] {
  const found = new Set<Element>();
  for (const element of [...touched, ...nudged]) {
    if (!element.isConnected) continue;
    const around = element.closest(SPOKEN);
    if (around) found.add(around);
    if (touched.has(element)) for (const inner of element.querySelectorAll(SPOKEN)) found.add(inner);
  }
  return [...found].filter(isShown).flatMap((element) => {
    const role = element.getAttribute("role") ?? (element.tagName === "DIALOG" ? "dialog" : "status");
    const text = role.endsWith("dialog") ? nameOf(element, roleOf(element)) || textOf(element, false) : textOf(element, false);
    return text ? [`${role} ${JSON.stringify(text.slice(0, 200))}`] : [];
  });
}
