/** The text by which a person recognises what an element belongs to: its row or card, its form, its dialog. */

import { SeenText } from "./seen_text";
import { containsAcross, parentAcross } from "./shadow";

const LONGEST = 1500;
const LONGEST_COMPARED = 6000;
const MOST_LEVELS = 40;
const DIALOG = "dialog,[role=dialog],[role=alertdialog],[aria-modal=true]";
const CARD = "tr,li,article,fieldset,[role=row],[role=listitem],[role=article],[role=option],[role=treeitem]";
const FIELD = "input,select,textarea";
/** Fields this close to a button without a form are likely to be sent by it. */
const FIELD_LEVELS = 3;
const PAGE = "html,body,main,[role=main],[role=application]";
const CONTROL = "a[href],button,select,summary,[role=button],[role=link],[role=menuitem],[role=tab]";
/** A clock or a countdown changes by itself. */
const TICKING = /\b\d{1,2}:\d{2}:\d{2}\b|\b\d+(?:\.\d+)?\s?(?:seconds?|secs?|s)\b|\d+\s?秒/gi;

/** `texts` are shown; all of `compared` must stay. */
export interface Surroundings { texts: string[]; compared: string[]; container: Element | null }

/** Only nearby text: a page may change freely elsewhere. */
export function surroundingsOf(element: Element, seen = new SeenText()): Surroundings {
  let card: Element | null = null;
  let nearest: Element | null = null;
  let form: Element | null = null;
  let dialog: Element | null = null;
  let fields: Element | null = null;
  let top = element;
  let level = 0;
  for (let at = parentAcross(element); at && level < MOST_LEVELS && !at.matches(PAGE); at = parentAcross(at), level++) {
    top = at;
    nearest ??= hasOtherText(at, element) ? at : null;
    if (level < FIELD_LEVELS && !(at instanceof HTMLFormElement) && at.querySelector(FIELD)) fields ??= at;
    if (at.matches(CARD)) card ??= at;
    if (at instanceof HTMLFormElement) form ??= at;
    if (at.matches(DIALOG)) {
      dialog = at;
      break;
    }
  }
  const containers = [...new Set([nearest, card, form, dialog].filter((one) => one !== null))];
  const whole = containers.map((one) => seen.of(one, LONGEST_COMPARED));
  if (!nearest) whole.push(precedingText(top, seen));
  const compared = whole.filter(Boolean).map(withoutClocks);
  return { texts: compared.map((one) => one.slice(0, LONGEST)), compared: [...compared, ...[...seen.looks].map(withoutClocks)], container: dialog ?? form ?? card ?? (nearest?.querySelector(FIELD) ? nearest : (fields ?? nearest)) };
}

/** Whether it contains text that is neither the element's own nor another control's. */
function hasOtherText(around: Element, element: Element): boolean {
  const walker = document.createTreeWalker(around, NodeFilter.SHOW_TEXT);
  for (let left = 200; left > 0; left--) {
    const text = walker.nextNode();
    if (!text) return false;
    const holder = text.parentElement;
    if (!holder || !text.nodeValue?.trim() || containsAcross(element, holder) || holder.closest(CONTROL)) continue;
    if (holder.checkVisibility({ visibilityProperty: true })) return true;
  }
  return false;
}

/** The text right before an element that isn't inside a row, form or dialog. */
function precedingText(element: Element, seen: SeenText): string {
  const parts: string[] = [];
  for (let at = element.previousSibling; at && parts.length < 3; at = at.previousSibling) {
    const text = seen.ofNode(at, LONGEST);
    if (text) parts.unshift(text.slice(-400));
  }
  return parts.join(" ");
}

const withoutClocks = (text: string): string => text.replace(TICKING, "…");

export const readable = (text: string): string => withoutClocks(text.slice(0, LONGEST));
