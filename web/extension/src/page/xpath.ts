/** Finds elements by XPath, and an XPath for an element; XPath can't reach into shadow trees. */

import { noTarget } from "./failure";

export function matchesOf(xpath: string): Element[] {
  let result: XPathResult;
  try {
    result = document.evaluate(xpath, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
  } catch {
    throw noTarget(`This isn't a XPath that selects elements: ${xpath}`, { matches: 0 });
  }
  const elements: Element[] = [];
  for (let at = 0; at < result.snapshotLength; at++) {
    const node = result.snapshotItem(at);
    if (node instanceof Element) elements.push(node);
  }
  return elements;
}

const isPlain = (id: string): boolean => /^[\w.:-]+$/.test(id);

/** Undefined inside a shadow tree. */
export function xpathOf(element: Element): string | undefined {
  const steps: string[] = [];
  for (let at: Element | null = element; at; at = at.parentElement) {
    if (at.id && isPlain(at.id) && document.getElementById(at.id) === at) return `//*[@id="${at.id}"]${below(steps)}`;
    steps.unshift(stepOf(at));
    if (at === document.documentElement) return `/${steps.join("/")}`;
    if (!at.parentElement) return undefined;
  }
  return undefined;
}

const below = (steps: string[]): string => (steps.length ? `/${steps.join("/")}` : "");

function stepOf(element: Element): string {
  const name = element.namespaceURI === "http://www.w3.org/1999/xhtml" ? element.localName : `*[local-name()="${element.localName}"]`;
  let before = 0;
  let isAlone = true;
  for (let one = element.previousElementSibling; one; one = one.previousElementSibling) if (one.localName === element.localName) before++;
  for (let one = element.nextElementSibling; one && isAlone; one = one.nextElementSibling) isAlone = one.localName !== element.localName;
  return before || !isAlone ? `${name}[${before + 1}]` : name;
}
