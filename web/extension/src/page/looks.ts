/** How a part of a page looks where that says something, such as words that are crossed out or the picture behind them. */

import { localNameOf } from "./shadow";
import { styleOf } from "./task_memory";

const LONGEST = 40;
const CONTROL = "a[href],button,select,summary,[role=button],[role=link],[role=menuitem],[role=tab]";
const OVERRIDES = /override|plaintext/;

export function looksOf(element: Element): string[] {
  if (element instanceof HTMLFormElement) return []; // its fields may hide its own properties
  const style = styleOf(element);
  const looks: string[] = [];
  if (style.textDecorationLine.includes("line-through")) looks.push("crossed out");
  if (OVERRIDES.test(style.unicodeBidi)) looks.push(`written ${style.unicodeBidi} ${style.direction}`);
  if (style.order !== "0") looks.push(`place ${style.order}`);
  if (style.display.includes("list-item")) looks.push(...markerOf(element, style));
  // Icons of controls change under the mouse and say nothing.
  if (style.backgroundImage.includes("url(") && !element.closest(CONTROL)) looks.push(`${style.backgroundImage} ${style.backgroundPosition}`);
  if ((element instanceof SVGImageElement || element instanceof SVGUseElement) && !element.closest(CONTROL)) looks.push(element.href.baseVal);
  if (!looks.length) return looks;
  const words = (element.textContent ?? "").trim().slice(0, LONGEST);
  return looks.map((look) => `${look} ${words}`);
}

/** The words or the number before an item of a list. */
function markerOf(element: Element, { listStyleType, listStyleImage }: CSSStyleDeclaration): string[] {
  const { content } = getComputedStyle(element, "::marker");
  const list = localNameOf(element) === "li" ? element.parentElement : null;
  const number = list instanceof HTMLOListElement ? `${list.start} ${list.reversed} ${(element as HTMLLIElement).value}` : "";
  const looks = [listStyleType.startsWith('"') ? listStyleType : "", listStyleImage.includes("url(") ? listStyleImage : "", content === "normal" || content === "none" ? "" : content, number];
  return looks.filter(Boolean);
}
