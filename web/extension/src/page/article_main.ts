/** Reads the page's article; a bundle of its own, so that pages that are never read don't carry Readability. */

import { Readability } from "@mozilla/readability";
import type { Article } from "./api";
import { BADGE_ATTRIBUTE } from "./badge";
import { markdownOf } from "./markdown";

function read(): Article {
  const copy = document.cloneNode(true) as Document;
  copy.querySelector(`[${BADGE_ATTRIBUTE}]`)?.remove();
  const found = new Readability(copy, { keepClasses: true }).parse();
  if (found?.content && found.textContent?.trim()) {
    const body = new DOMParser().parseFromString(found.content, "text/html").body;
    return { title: found.title || document.title, text: found.textContent.replace(/[ \t]+/g, " ").replace(/\s*\n\s*/g, "\n").trim(), markdown: markdownOf(body) };
  }
  // Not every page is an article: then everything that is shown counts.
  return { title: document.title, text: document.body?.innerText.trim() ?? "", markdown: document.body ? markdownOf(document.body) : "" };
}

globalThis.handrailArticle = read;
