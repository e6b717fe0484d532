/** The part of the extension that lives in a page, in its own world: answers the worker, and nobody else. */

import isProbablyReaderable from "@mozilla/readability/Readability-readerable.js";
import { aim } from "./aim";
import type { Answer, Article, Ask, PageApi, PageMethod, Reply } from "./api";
import { hideBadge, showBadge } from "./badge";
import { noteListener, noteSelectors } from "./candidates";
import { changes, hearClick, rest, watch } from "./changes";
import { noTarget, Refusal } from "./failure";
import { announce, aroundFrame, frameAt, frameText, ownPlace } from "./frames";
import { guard, lastVerdict, pressed, verdict, watchGestures } from "./guard";
import { clickInPage, hoverInPage, press, select } from "./gestures";
import { indexPage } from "./index_page";
import { outline, removeOutline } from "./outline";
import { watchPerson } from "./person";
import { atPoint, box, digests, fieldKind, isChecked, option, selectText } from "./points";
import { resolve } from "./refs";
import { watchRelease } from "./release";
import { scroll } from "./scrolling";
import { seen } from "./shown";
import { activeElement } from "./shadow";
import { awaitQuiet, awaitText, findText, hasText } from "./text";
import { fieldValue, focus, write } from "./typing";
import { acceptFile, giveFiles } from "./upload";
import { pageText, viewPage } from "./view";
import { matchesOf } from "./xpath";

declare global {
  var handrail: { answer<M extends PageMethod>(method: M, ask: Ask<M>): Promise<Reply<Answer<M>>>; isAlive(): boolean; noteListener(element: Element): boolean; noteSelectors(told: string): boolean } | undefined;
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
  announce: (ask) => announce(ask.nonce),
  ownPlace,
  framesNear: (ask) => seen(ask.target ? resolve(ask.target) : activeElement()).frames,
  aroundFrame,
  frameText,
  clickInPage,
  hoverInPage,
  focus,
  write,
  focusElement: (ask) => {
    const element = ask.target ? resolve(ask.target) : activeElement();
    guard(element, ask.expected);
    if (!ask.target) return;
    element.scrollIntoView({ block: "nearest", behavior: "instant" });
    (element as HTMLElement).focus?.();
  },
  verdict,
  pressed,
  lastVerdict,
  valueOf: (ask) => fieldValue(ask.target),
  press,
  select,
  watch,
  hearClick,
  rest,
  changes,
  scroll,
  findText,
  hasText: (ask) => hasText(ask.text),
  awaitText,
  awaitQuiet,
  html: (ask) => (ask.xpath === undefined ? wholePage() : single(ask.xpath).outerHTML),
  article,
  acceptFile,
  giveFiles,
  badge: showBadge,
  hideBadge: (ask) => hideBadge(ask.isHidden),
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

/** Short texts don't count, and most are: their length is known sooner than whether they are shown. */
function isArticle(): boolean {
  return isProbablyReaderable(document, { minContentLength, visibilityChecker: (node) => (node.textContent?.length ?? 0) >= minContentLength && node.checkVisibility({ visibilityProperty: true }) });
}

function wholePage(): string {
  const type = document.doctype ? `<!DOCTYPE ${document.doctype.name}>\n` : "";
  return type + document.documentElement.outerHTML;
}

function single(xpath: string): Element {
  const found = matchesOf(xpath);
  if (found.length !== 1) throw noTarget(`The XPath matches ${found.length} elements; it has to match exactly one.`, { matches: found.length });
  return found[0]!;
}

async function answer<M extends PageMethod>(method: M, ask: Ask<M>): Promise<Reply<Answer<M>>> {
  try {
    const value = await (methods[method] as (ask: Ask<M>) => Answer<M> | Promise<Answer<M>>)(ask);
    return { value };
  } catch (error) {
    if (error instanceof Refusal) return { failure: { code: error.code, message: error.message, details: error.details } };
    return { failure: { code: "PLUGIN_ERROR", message: `The page could not be worked on: ${String(error)}` } };
  }
}

// A reloaded extension finds its predecessor's world; that one can no longer reach anybody.
if (!globalThis.handrail?.isAlive()) {
  globalThis.handrail = { answer, isAlive: () => chrome.runtime?.id !== undefined, noteListener, noteSelectors };
  watchPerson();
  watchGestures();
  watchRelease();
}
