/** The part of the extension that runs in a page, in an isolated world, and answers only the worker. */

import isProbablyReaderable from "@mozilla/readability/Readability-readerable.js";
import { aim } from "./aim";
import type { Answer, Article, PageRequest, PageApi, PageMethod, Reply } from "./api";
import { hideBadge, showBadge } from "./badge";
import { noteListener, noteSelectors } from "./candidates";
import { changes, hearClick, rest, watch } from "./changes";
import { noTarget, Refusal } from "./failure";
import { announce, aroundFrame, frameAt, frameText, frameUnder, ownPlace } from "./frames";
import { guard, lastVerdict, pressed, verdict, watchGestures } from "./guard";
import { clickInPage, hoverInPage, press, select } from "./gestures";
import { indexPage } from "./index_page";
import { outline, removeOutline } from "./outline";
import { watchPerson } from "./person";
import { atPoint, box, digests, fieldKind, isChecked, option, selectText } from "./points";
import { resolve } from "./refs";
import { watchRelease } from "./release";
import { scroll } from "./scrolling";
import { snapshotOf } from "./element_snapshot";
import { activeElement } from "./shadow";
import { awaitQuiet, awaitText, findText, hasText } from "./text";
import { fieldValue, focus, write } from "./typing";
import { acceptFile, giveFiles } from "./upload";
import { pageText, viewPage } from "./view";
import { matchesOf } from "./xpath";

declare global {
  var handrail: { answer<M extends PageMethod>(method: M, request: PageRequest<M>): Promise<Reply<Answer<M>>>; isAlive(): boolean; noteListener(element: Element): boolean; noteSelectors(told: string): boolean } | undefined;
  var handrailArticle: (() => Article | null) | undefined;
}

const methods: PageApi = {
  index: indexPage,
  view: viewPage,
  elementAt: atPoint,
  digests,
  boxOf: box,
  fieldKind,
  isChecked,
  option,
  selectText,
  aim,
  frameAt,
  announce: (request) => announce(request.nonce),
  ownPlace,
  frameUnder,
  framesNear: (request) => snapshotOf(request.target ? resolve(request.target) : activeElement()).frames,
  aroundFrame,
  frameText,
  clickInPage,
  hoverInPage,
  focus,
  write,
  focusElement: (request) => {
    const element = request.target ? resolve(request.target) : activeElement();
    guard(element, request.expected);
    if (!request.target) return;
    element.scrollIntoView({ block: "nearest", behavior: "instant" });
    (element as HTMLElement).focus?.();
  },
  verdict,
  pressed,
  lastVerdict,
  valueOf: (request) => fieldValue(request.target),
  press,
  select,
  watch,
  hearClick,
  rest,
  changes,
  scroll,
  findText,
  hasText: (request) => hasText(request.text),
  awaitText,
  awaitQuiet,
  html: (request) => (request.xpath === undefined ? wholePage() : single(request.xpath).outerHTML),
  article,
  acceptFile,
  giveFiles,
  badge: showBadge,
  hideBadge: (request) => hideBadge(request.isHidden),
  outline,
  removeOutline,
};

/** Paragraphs count from this length on. */
const minContentLength = 140;

function article(): Article | null {
  if (!isArticle()) return plainText();
  return globalThis.handrailArticle ? (globalThis.handrailArticle() ?? plainText()) : null;
}

function plainText(): Article {
  return { url: location.href, title: document.title, text: pageText() };
}

/** Short texts don't count, and most are short; checking the length is faster than checking visibility. */
function isArticle(): boolean {
  const isLong = (node: Node): boolean => (node.textContent?.length ?? 0) >= minContentLength;
  for (const node of document.querySelectorAll("p,pre,article,div>br")) {
    if (isLong(node.nodeName === "BR" ? node.parentNode! : node)) return isProbablyReaderable(document, { minContentLength, visibilityChecker: (one) => isLong(one) && one.checkVisibility({ visibilityProperty: true }) });
  }
  return false;
}

function wholePage(): string {
  const type = document.doctype ? `<!DOCTYPE ${document.doctype.name}>\n` : "";
  return type + document.documentElement.outerHTML;
}

function single(xpath: string): Element {
  const matches = matchesOf(xpath);
  if (matches.length !== 1) throw noTarget(`The XPath matches ${matches.length} elements; it has to match exactly one.`, { matches: matches.length });
  return matches[0]!;
}

async function answer<M extends PageMethod>(method: M, request: PageRequest<M>): Promise<Reply<Answer<M>>> {
  try {
    const value = await (methods[method] as (request: PageRequest<M>) => Answer<M> | Promise<Answer<M>>)(request);
    return { value };
  } catch (error) {
    if (error instanceof Refusal) return { failure: { code: error.code, message: error.message, details: error.details } };
    return { failure: { code: "PLUGIN_ERROR", message: `The page could not be worked on: ${String(error)}` } };
  }
}

// A reloaded extension finds its predecessor's world, which can't reach the worker any more.
if (!globalThis.handrail?.isAlive()) {
  globalThis.handrail = { answer, isAlive: () => chrome.runtime?.id !== undefined, noteListener, noteSelectors };
  watchPerson();
  watchGestures();
  watchRelease();
}
