/**
 * What a person is shown of an element, and the digest that the action is bound to: what the element is, where it
 * leads, what its form contains, and the text near it. Computed synchronously in one pass, so that nothing comes
 * between the check and the action.
 */

import type { Point, Shown } from "./api";
import { openPoint } from "./aim";
import { identityOf } from "./description";
import { noTarget } from "./failure";
import { controlOf, destinationOf, type Destination, encodingOf, type Value, valuesOf } from "./form_values";
import { framesNear } from "./frames";
import { SeenText } from "./seen_text";
import { sha256 } from "./sha256";
import { closestAcross, containsAcross, elementAt } from "./shadow";
import { statesOf } from "./states";
import { readable, surroundingsOf } from "./surroundings";

const INTERACTIVE = "a[href],area[href],button,input,select,textarea,label,summary,[role=button],[role=link],[role=menuitem],[contenteditable]";
/** The pointer and the focus change these, and both are handrail's. */
const FLEETING = new Set(["focused", "busy", "invalid"]);
const LONGEST_VALUE = 300;
const LONGEST_TEXT = 1500;

export interface ElementSnapshot {
  digest: string;
  shown: Shown;
  /** The element that the action would really trigger, and what must stay unchanged until it is over. */
  actor: Element;
  destination: Destination | undefined;
  encoding: string;
  values: Value[];
  /** Positions of the frames near it; the worker asks their pages. */
  frames: number[];
}

/** `point`: where a click on it would land, if that is known. */
export function snapshotOf(element: Element, point: Point | null = pointOf(element)): ElementSnapshot {
  const actor = actorOf(element, point);
  const isPage = element === document.body || element === document.documentElement;
  const seen = new SeenText();
  const own = isPage ? "" : readable(seen.ofNode(element, LONGEST_TEXT));
  const { texts, compared, container } = isPage ? { texts: [], compared: [], container: null } : surroundingsOf(element, seen);
  const destination = destinationOf(actor);
  const encoding = encodingOf(actor);
  const values = valuesOf(actor, container);
  const { tag, role, name } = identityOf(element);
  const states = statesOf(controlOf(element)).filter((state) => !FLEETING.has(state));
  const frames = isPage ? [] : framesNear(element, container);
  const words = [
    location.href.split("#")[0], tag, role, name, own, states, actor === element ? null : identityOf(actor),
    destination ?? null, encoding, values.map(({ name, kind, exact }) => [name, kind, exact]), compared, frames.length,
  ];
  return { digest: sha256(JSON.stringify(words)).slice(0, 32), shown: { ...(destination ? { destination } : {}), fields: values.map(shownField), near: texts }, actor, destination, encoding, values, frames };
}

function shownField({ name, kind, value }: Value): Shown["fields"][number] {
  const isLong = value.length > LONGEST_VALUE;
  return { name, kind, value: isLong ? value.slice(0, LONGEST_VALUE) : value, ...(isLong ? { length: value.length } : {}) };
}

/** What a click on the element would trigger: a link or button inside it if one lies at its point. */
function actorOf(element: Element, at: Point | null): Element {
  const hit = at && elementAt(at.x, at.y);
  const from = hit && containsAcross(element, hit) ? hit : element;
  return closestAcross(from, (one) => one.matches(INTERACTIVE)) ?? element;
}

function pointOf(element: Element): Point | null {
  try {
    return openPoint(element);
  } catch {
    return null;
  }
}

/** Refuses if the element is no longer what was shown. Called right before the action, without a wait in between. */
export function checkShown(element: Element, expected: string | undefined, point?: Point): ElementSnapshot | null {
  if (expected === undefined) return null;
  const now = snapshotOf(element, point);
  if (now.digest === expected) return now;
  throw changedError();
}

export const changedError = (why = "The page or the element is no longer what was shown and allowed."): Error =>
  noTarget(why, { changed: true, hint: "Look again, and ask again." });
