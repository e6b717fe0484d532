/** A long text of Markdown in pieces that are read each for itself: while it grows, only the last one changes. */

import { fenceOf, LINE_END } from "../../../logic/markdown";

/** What goes on with a list before it, across an empty line; or may do so, once it has grown. */
const BELONGS = /^(?:\s|[-*+](?:\s|$)|\d{1,9}(?:[.)]?$|[.)]\s))/;

/** Cut where the whole text, read at once, ends a block as well: at empty lines outside of code that no list goes on after. */
export function pieces(text: string): string[] {
  const found: string[] = [];
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
      found.push(text.slice(start, at));
      start = at;
    }
    if (fence) fence = line.trimStart().startsWith(fence) ? "" : fence;
    else fence = fenceOf(line)?.mark ?? "";
    isAfterEmpty = isEmpty && !fence;
    at = next;
  }
  if (start < text.length) found.push(text.slice(start));
  return found;
}
