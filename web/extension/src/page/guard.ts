/**
 * Watches one approved action on a page from its check until it is over. Stops it if the page swaps in other values,
 * another destination or another element under the mouse.
 */

import type { PageRequest, Point } from "./api";
import { changedError, checkShown, type ElementSnapshot } from "./element_snapshot";
import { controlOf, destinationOf, encodingOf, formOf, hashed, isOnlyRead, valuesOf, type Value } from "./form_values";
import { addEarlyListener, isInstalledFirst } from "./early_events";
import { noTarget } from "./failure";
import { drained } from "./release";
import { containsAcross, elementAt, shadowRootOf } from "./shadow";
import { surroundingsOf } from "./surroundings";

/** An action that was never ended is considered over by then. */
const LONGEST_MS = 10_000;
/** What a page sends later than this after the action isn't attributed to it. */
const AFTERWARDS_MS = 2000;
/** A form that is being sent leaves the page a moment later; on a busy machine that takes a while. */
const LEAVING_MS = 1000;
const UNREACHED = "The page did not let the mouse through to the element.";

interface WatchedAction {
  element: Element;
  form: HTMLFormElement | null;
  was: ElementSnapshot;
  /** The field that the action itself fills in or ticks. */
  except: Element | null;
  isReached: boolean;
  /** Keys go into the field, and the page may process them freely until all have arrived. */
  isTyping: boolean;
  why: string | null;
  until: number;
  /** A person's own input is no longer checked; what is sent still is. */
  isOver: boolean;
  submission: Event | null;
  /** The browser is sending the form, and the page has not left yet. */
  isSending: boolean;
}

let watched: WatchedAction | null = null;
let hearPress: (() => void) | null = null;
let hearNavigation: (() => void) | null = null;

export function watchGestures(): void {
  addEarlyListener((event) => {
    if (isOnlyRead(event)) event.stopImmediatePropagation();
    else if (event.type === "submit") onSubmit(event);
    else if (event.type === "formdata") onFormData(event as FormDataEvent);
    else if (event.type === "navigate") onNavigate(event as Leaving);
    else onInput(event as MouseEvent | KeyboardEvent);
  });
}

/** Checks that the element is what was shown, and watches it from now on. */
export function guard(element: Element, expected: string | undefined, field: Element | null = null, point?: Point): void {
  watched = null;
  hearPress?.();
  hearPress = null;
  const was = checkShown(element, expected, point);
  if (!was) return;
  if (!isInstalledFirst()) throw noTarget("This page is older than the extension, so what it does during the act can't be watched.", { hint: "Reload it with browser_reload." });
  const control = controlOf(was.actor);
  const isTicked = control instanceof HTMLInputElement && (control.type === "checkbox" || control.type === "radio");
  watched = { element, form: formOf(was.actor), was, except: field ?? (isTicked ? control : null), isReached: false, isTyping: field !== null, why: null, until: performance.now() + LONGEST_MS, isOver: false, submission: null, isSending: false };
}

/** Refuses if the page was changed since the check. With `isPressed`, the mouse must also have reached the element. */
export function verdict(request: PageRequest<"verdict">): void {
  if (!watched) return;
  if (watched.isOver) return refuse(watched);
  if (request.isPressed && !watched.isReached) watched.why ??= UNREACHED;
  watched.isTyping = false;
  look(watched);
  refuse(watched);
}

/**
 * Called before the mouse is pressed, so that the answer is on its way before the page's own listeners run. Their
 * changes are noticed at the release, which they can't hide.
 */
export async function pressed(): Promise<void> {
  const one = watched;
  if (!one) return;
  if (!one.isReached) await new Promise<void>((resolve) => (hearPress = resolve));
  if (watched === one) verdict({ isPressed: true });
}

/** The same at the end of the action: a browser sends a form a moment after the click. */
export async function lastVerdict(request: PageRequest<"lastVerdict">): Promise<void> {
  const one = watched;
  if (!one) return;
  if (request.isPressed && !one.isReached) one.why ??= UNREACHED;
  one.isOver = true;
  one.until = performance.now() + AFTERWARDS_MS;
  if (one.was.destination) await drained();
  if (one.isSending && !one.why) await Promise.race([new Promise<void>((resolve) => (hearNavigation = resolve)), new Promise((resolve) => setTimeout(resolve, LEAVING_MS))]);
  refuse(one);
}

function refuse({ why }: WatchedAction): void {
  if (why) throw changedError(`${why} Nothing more was done.`);
}

function current(): WatchedAction | null {
  return watched && performance.now() < watched.until ? watched : null;
}

function look(one: WatchedAction): boolean {
  if (one.why) return false;
  if (!one.element.isConnected) one.why = "The element was taken away while it was acted on.";
  else if (!isSameDestination(one)) one.why = "Its destination was changed while it was acted on.";
  else if (!isSameForm(one)) one.why = "Values of its form were changed while it was acted on.";
  return one.why === null;
}

function isSameDestination({ was }: WatchedAction): boolean {
  const now = destinationOf(was.actor);
  return was.destination === undefined || (now?.url === was.destination.url && now.method === was.destination.method && encodingOf(was.actor) === was.encoding);
}

/** Without a form, the browser itself sends nothing. */
function isSameForm({ form, was, except }: WatchedAction): boolean {
  const serialize = (values: Value[]): string => JSON.stringify(values.filter(({ element }) => !isOneOf(element, except)).map(({ name, kind, exact }) => [name, kind, exact]));
  return formOf(was.actor) === form && (form === null || serialize(valuesOf(was.actor, null)) === serialize(was.values));
}

/** Ticking one radio button unticks the others of its group. */
const isOneOf = (element: Element, except: Element | null): boolean =>
  element === except || (element instanceof HTMLInputElement && except instanceof HTMLInputElement && element.type === "radio" && except.type === "radio" && element.name === except.name);

function stop(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}

function onInput(event: MouseEvent | KeyboardEvent): void {
  const one = event.isTrusted ? current() : null;
  if (!one || one.isTyping || one.isOver) return;
  if (event.type === "pointerdown" || event.type === "mousedown") {
    one.isReached = true;
    if (!isHit(one.element, event as MouseEvent)) one.why ??= "Another element was put under the mouse.";
    // The mouse may have opened a hint or a menu nearby; the text that was there must still be there.
    else if (event.type === "pointerdown" && !isStillSaid(one)) one.why ??= "The text near it was changed while it was acted on.";
  }
  if (!look(one)) stop(event);
  if (one.isReached) hearPress?.();
}

function isHit(element: Element, event: MouseEvent): boolean {
  const [first] = event.composedPath();
  if (!(first instanceof Element)) return false;
  const hit = shadowRootOf(first) ? (elementAt(event.clientX, event.clientY) ?? first) : first;
  return containsAcross(element, hit) || hit.closest("label")?.control === element;
}

function isStillSaid({ element, was }: WatchedAction): boolean {
  const words = new Set(surroundingsOf(element).compared.join(" ").split(/\s+/));
  return was.shown.near.every((text) => text.split(/\s+/).every((word) => words.has(word)));
}

function onSubmit(event: Event): void {
  const one = current();
  // A script may have turned what is clicked into the button of another form.
  if (!one || (event.target !== one.form && (event as SubmitEvent).submitter !== controlOf(one.was.actor))) return;
  one.submission = event;
  if (!look(one)) stop(event);
}

/** Listeners of the click and of the submission have run; a form that was removed from the page sends nothing. */
function onFormData(event: FormDataEvent): void {
  const one = current();
  if (!one || event.target !== one.form) return;
  one.isSending = isSentByBrowser(one);
  if (one.why === null && isSent(one, event.formData)) return;
  one.why ??= "Other values were about to be sent than those that were shown.";
  for (const name of new Set(event.formData.keys())) event.formData.delete(name);
  const { form } = one;
  const spot = document.createComment("");
  Element.prototype.replaceWith.call(form, spot);
  setTimeout(() => spot.replaceWith(form!));
}

/** The page stays if a script only collects the values, or if the form goes to another window. */
function isSentByBrowser({ form, submission }: WatchedAction): boolean {
  if (!submission || submission.defaultPrevented || submission.eventPhase !== Event.NONE) return false;
  return ["", "_self"].includes(Element.prototype.getAttribute.call(form, "target") ?? "");
}

interface Leaving extends Event { destination: { url: string }; formData: FormData | null; sourceElement?: Element | null }

/** The last moment: whatever listeners have done, this is what is sent. */
function onNavigate(event: Leaving): void {
  const one = current();
  if (!one) return;
  one.isSending = false;
  judge(one, event);
  hearNavigation?.();
  hearNavigation = null;
}

function judge(one: WatchedAction, event: Leaving): void {
  if (!event.cancelable) return;
  const source = event.sourceElement ?? null;
  const isForm = one.form !== null && (event.formData !== null || source === one.form || (source as HTMLButtonElement | null)?.form === one.form);
  const isLink = source !== null && !isForm && (containsAcross(source, one.element) || containsAcross(one.element, source));
  if (!isForm && !isLink) return;
  const [was, now] = [one.was.destination?.url, event.destination.url];
  if (isLink ? was !== undefined && was !== now : was !== undefined && withoutQuery(was) !== withoutQuery(now)) one.why ??= `It was about to lead to ${withoutQuery(now)}.`;
  const data = one.was.destination?.method === "GET" ? new URL(now).searchParams : event.formData;
  if (isForm && data && !isSent(one, data)) one.why ??= "Other values were about to be sent than those that were shown.";
  if (one.why) stop(event);
}

const withoutQuery = (url: string): string => url.split(/[?#]/, 1)[0]!;

/**
 * What was shown must be sent unchanged. Pages may add names of their own and fill in hidden fields that were empty.
 */
function isSent({ was, except }: WatchedAction, sent: FormData | URLSearchParams): boolean {
  const byName = new Map<string, Value[]>();
  for (const value of was.values) if (value.kind === "custom" || Element.prototype.getAttribute.call(value.element, "name")) byName.set(value.name, [...(byName.get(value.name) ?? []), value]);
  return [...byName].every(([name, shown]) => {
    if (shown.some(({ kind, element }) => isOneOf(element, except) || NOT_AS_TEXT.has(kind))) return true;
    if (shown.every(({ kind, exact }) => kind === "hidden" && exact === "")) return true;
    const expected = shown.flatMap(({ kind, exact }) => (kind === "select" ? (JSON.parse(exact) as string[]) : [exact]));
    const actual = sent.getAll(name).map((value, at) => (shown[at]?.kind === "password" ? hashed(String(value)) : String(value)));
    return JSON.stringify(expected.map(plain)) === JSON.stringify(actual.map(plain));
  });
}

const NOT_AS_TEXT = new Set(["file", "image", "submit", "button"]);

/** Line breaks are normalised when sent. */
const plain = (text: string): string => text.replace(/\r\n?/g, "\n");
