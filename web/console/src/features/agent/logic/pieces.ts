/** Splits long Markdown into pieces that are parsed separately; while the text grows, only the last one changes. */

import { fenceOf, LINE_END } from "../../../logic/markdown";

/** Lines that continue a list across an empty line, or may do so once they have grown. */
const BELONGS = /^(?:\s|[-*+](?:\s|$)|\d{1,9}(?:[.)]?$|[.)]\s))/;

/**
 * Splits where a block of the whole text ends as well: at empty lines outside of code after which no list continues.
 */
export function pieces(text: string): string[] {
  const parts: string[] = [];
  let fence = "";
  let start = 0;
  let isAfterEmpty = false;
  const ends = new RegExp(LINE_END, "g");
  for (let at = 0; at < text.length; ) {
    const end = ends.exec(text);
    const next = end ? ends.lastIndex : text.length;
    const line = text.slice(at, end?.index);
    const isEmpty = line.trim() === "";
    if (!fence && isAfterEmpty && !isEmpty && !BELONGS.test(line)) {
      parts.push(text.slice(start, at));
      start = at;
    }
    if (fence) fence = line.trimStart().startsWith(fence) ? "" : fence;
    else fence = fenceOf(line)?.mark ?? "";
    isAfterEmpty = isEmpty && !fence;
    at = next;
  }
  if (start < text.length) parts.push(text.slice(start));
  return parts;
}
