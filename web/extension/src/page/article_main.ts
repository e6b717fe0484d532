/** Reads the page's article. A separate bundle, so that pages that are never read don't load Readability. */

import { Readability } from "@mozilla/readability";
import type { Article } from "./api";
import { BADGE_ATTRIBUTE } from "./badge";
import { LegibleText } from "./legible_text";
import { markdownOf } from "./markdown";
import { isDrawn } from "./visibility";

function read(): Article | null {
  const article = new Readability(withoutHidden(), { keepClasses: true }).parse();
  if (!article?.content || !article.textContent?.trim()) return null;
  const body = new DOMParser().parseFromString(article.content, "text/html").body;
  return { url: location.href, title: article.title || document.title, text: article.textContent.replace(/[ \t]+/g, " ").replace(/\s*\n\s*/g, "\n").trim(), markdown: markdownOf(body) };
}

/** A copy loses its styles, so what they hide is removed first. */
function withoutHidden(): Document {
  const copy = document.cloneNode(true) as Document;
  const [own, others] = [document.querySelectorAll("body *"), copy.querySelectorAll("body *")];
  const legible = new LegibleText(false);
  const unread = [...own].map((element, at) => (isUnread(element, legible) ? others[at] : undefined));
  for (const element of unread) element?.remove();
  return copy;
}

function isUnread(element: Element, legible: LegibleText): boolean {
  if (element.hasAttribute(BADGE_ATTRIBUTE)) return true;
  const texts = [...element.childNodes].filter((node): node is Text => node.nodeType === Node.TEXT_NODE && /\S/.test((node as Text).data));
  return texts.length > 0 && (!isDrawn(element) || texts.every((text) => legible.placeOf(text) === null));
}

globalThis.handrailArticle = read;
