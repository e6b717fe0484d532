/** Calls into pages: installs the page script if it is missing, and distinguishes refusals from bugs. */

import type { Answer, PageRequest, PageMethod, Reply } from "../page/api";
import { send } from "./debuggee";
import { deniedFrames, refuseDenied } from "./denied_pages";
import { Failure, failureOf, isForbiddenPage } from "./failure";
import { requiredOrigin } from "./required_origin";
import { askTop, isRepeatable, type Repeatable } from "./shortcut";

export const TOP = 0;

/** Serialised and run in the page's isolated world, so it can't use anything from this module. */
async function invoke(method: string, ask: unknown, origin: string | null): Promise<unknown> {
  if (origin !== null && location.origin !== origin) return { elsewhere: true };
  const page = (globalThis as { handrail?: { isAlive(): boolean; answer(method: string, ask: unknown): Promise<unknown> } }).handrail;
  return page?.isAlive() ? await page.answer(method, ask) : { missing: true };
}

const install = (target: chrome.scripting.InjectionTarget, file = "page.js"): Promise<unknown> =>
  chrome.scripting.executeScript({ target, files: [file], injectImmediately: true });

async function run<M extends PageMethod>(target: chrome.scripting.InjectionTarget, method: M, ask: PageRequest<M>, origin: string | null = null) {
  return await chrome.scripting.executeScript({ target, func: invoke, args: [method, ask, origin], injectImmediately: true });
}

function unwrap<M extends PageMethod>(reply: Reply<Answer<M>> | null | undefined): Answer<M> {
  if (!reply) throw new PageGone();
  if ("failure" in reply) throw new Failure(reply.failure.code, reply.failure.message, reply.failure.details);
  if ("missing" in reply || "elsewhere" in reply) throw new PageGone();
  return reply.value;
}

/** The document went away while it was asked: it navigated, or its frame or tab was closed. */
export class PageGone extends Error {
  constructor() {
    super("The page went away while it was worked on.");
  }
}

/** For `catch`: returns a fallback if the page went away. */
export const ifGone = <T>(instead: T) => (error: unknown): T => {
  if (error instanceof PageGone) return instead;
  throw error;
};

export async function ask<M extends PageMethod>(tabId: number, frameId: number, method: M, request: PageRequest<M>): Promise<Answer<M>> {
  if (frameId !== TOP) await refuseDenied(tabId, frameId);
  const reply = frameId === TOP && isRepeatable(method) ? await askTop(tabId, method, request) : null;
  return reply ? unwrapTop<M>(reply) : await inject(tabId, frameId, method, request);
}

/** The same, after the debugger has reported everything that happened in the page before the answer. */
export async function askInOrder<M extends Repeatable>(tabId: number, frameId: number, method: M, request: PageRequest<M>): Promise<Answer<M>> {
  const reply = frameId === TOP ? await askTop(tabId, method, request) : null;
  if (reply) return unwrapTop<M>(reply);
  const answer = await inject(tabId, frameId, method, request);
  // The debugger reports in order: once it answers, it has reported everything before.
  await send(tabId, "Runtime.getIsolateId").catch(() => undefined);
  return answer;
}

function unwrapTop<M extends PageMethod>(reply: Reply<Answer<M>> | "gone"): Answer<M> {
  return unwrap<M>(reply === "gone" ? null : reply);
}

async function inject<M extends PageMethod>(tabId: number, frameId: number, method: M, request: PageRequest<M>): Promise<Answer<M>> {
  const target = { tabId, frameIds: [frameId] };
  const origin = frameId === TOP ? (requiredOrigin(tabId) ?? null) : null;
  try {
    let [answer] = await run(target, method, request, origin);
    if (isMissing(answer)) {
      await install(target);
      [answer] = await run(target, method, request, origin);
    }
    return unwrap<M>(answer?.result as Reply<Answer<M>> | null);
  } catch (error) {
    throw translateError(error);
  }
}

const isMissing = (answer: chrome.scripting.InjectionResult<unknown> | undefined): boolean => (answer?.result as { missing?: true } | null)?.missing === true;

function translateError(error: unknown): unknown {
  const message = error instanceof Error ? error.message : String(error);
  if (/frame with id|frame was removed|no frame|document/i.test(message) && !isForbiddenPage(message)) return new PageGone();
  return error instanceof Failure || error instanceof PageGone ? error : failureOf(error);
}

export interface FrameAnswer<T> { frameId: number; value: T }

/** Every frame that responds, cross-site ones included. */
export async function askAll<M extends PageMethod>(tabId: number, method: M, request: PageRequest<M>): Promise<FrameAnswer<Answer<M>>[]> {
  try {
    return await installed(tabId, await run({ tabId, allFrames: true }, method, request), method, request);
  } catch (error) {
    throw translateError(error);
  }
}

/** These frames, as far as they respond. */
export async function askFrames<M extends PageMethod>(tabId: number, frameIds: number[], method: M, request: PageRequest<M>): Promise<FrameAnswer<Answer<M>>[]> {
  if (!frameIds.length) return [];
  return await installed(tabId, await run({ tabId, frameIds }, method, request), method, request);
}

/** Asks those again that had no page script yet. */
async function installed<M extends PageMethod>(tabId: number, first: chrome.scripting.InjectionResult<unknown>[], method: M, request: PageRequest<M>): Promise<FrameAnswer<Answer<M>>[]> {
  let answers = first;
  const missing = answers.filter(isMissing).map((one) => one.frameId);
  if (missing.length) {
    await install({ tabId, frameIds: missing });
    const late = await run({ tabId, frameIds: missing }, method, request);
    answers = [...answers.filter((one) => !isMissing(one)), ...late];
  }
  const denied = await deniedFrames(tabId);
  return answers
    .filter((one) => one.result && !denied.has(one.frameId))
    .map((one) => ({ frameId: one.frameId, value: unwrap<M>(one.result as unknown as Reply<Answer<M>>) }))
    .sort((one, other) => one.frameId - other.frameId);
}

export async function installArticle(tabId: number): Promise<void> {
  await install({ tabId, frameIds: [TOP] }, "article.js");
}

export async function installPage(tabId: number, frameId: number): Promise<void> {
  await install({ tabId, frameIds: [frameId] }).catch(() => undefined);
}
