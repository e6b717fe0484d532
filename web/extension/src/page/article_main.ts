/** Reads the page's article; a bundle of its own, so that pages that are never read don't carry Readability. */

import { Readability } from "@mozilla/readability";
import type { Article } from "./api";
import { BADGE_ATTRIBUTE } from "./badge";
import { markdownOf } from "./markdown";
import { isDrawn, Sight } from "./sight";

function read(): Article | null {
  const found = new Readability(withoutHidden(), { keepClasses: true }).parse();
  if (!found?.content || !found.textContent?.trim()) return null;
  const body = new DOMParser().parseFromString(found.content, "text/html").body;
  return { url: location.href, title: found.title || document.title, text: found.textContent.replace(/[ \t]+/g, " ").replace(/\s*\n\s*/g, "\n").trim(), markdown: markdownOf(body) };
}

/** Styles don't go along into a copy: what they hide is taken out of it. */
function withoutHidden(): Document {
  const copy = document.cloneNode(true) as Document;
  const [own, others] = [document.querySelectorAll("body *"), copy.querySelectorAll("body *")];
  const sight = new Sight(false);
  const unread = [...own].map((element, at) => (isUnread(element, sight) ? others[at] : undefined));
  for (const element of unread) element?.remove();
  return copy;
}

function isUnread(element: Element, sight: Sight): boolean {
  if (element.hasAttribute(BADGE_ATTRIBUTE)) return true;
  const texts = [...element.childNodes].filter((node): node is Text => node.nodeType === Node.TEXT_NODE && /\S/.test((node as Text).data));
  return texts.length > 0 && (!isDrawn(element) || texts.every((text) => sight.placeOf(text) === null));
}

globalThis.handrailArticle = read;
