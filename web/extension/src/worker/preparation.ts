/** Page preparation: a picture and the text together, each tried twice; one of them is better than none. */

import type { Result } from "./action";
import { Failure, failureOf } from "./failure";

const PICTURE = "browser_screenshot";
const TEXT = "browser_readability_extract";
/** Retrying doesn't help with these errors. */
const FINAL = new Set(["SCHEMA_VALIDATION_FAILED", "INVALID_TASK_TAB", "TASK_TAB_CLOSED"]);

export const isPreparation = (names: string[]): boolean => names.length === 2 && names.includes(PICTURE) && names.includes(TEXT);

export interface Prepared { status: "success" | "partial"; result: Result }

export async function prepare(run: (name: string) => Promise<Result>): Promise<Prepared> {
  const picture = await twice(() => run(PICTURE));
  const text = await twice(() => run(TEXT));
  if (picture instanceof Failure && text instanceof Failure) {
    if (FINAL.has(picture.code)) throw picture;
    throw new Failure("PAGE_PREP_FAILED", `Neither picture nor text: ${picture.message} ${text.message}`, { screenshot: picture.wire(), readability: text.wire() });
  }
  const result: Result = {};
  if (!(text instanceof Failure)) Object.assign(result, text, { readability: text });
  // Both may be artifacts; the picture's fields are at the top level, as in the contract's example.
  if (!(picture instanceof Failure)) Object.assign(result, picture, { screenshot: picture });
  const failed = [[PICTURE, picture], [TEXT, text]].flatMap(([name, one]) => (one instanceof Failure ? [{ name: name as string, failure: one }] : []));
  if (!failed.length) return { status: "success", result };
  result["missing"] = failed.map(({ name }) => name);
  result["warnings"] = failed.map(({ name, failure }) => `${name}: ${failure.code}: ${failure.message}`);
  return { status: "partial", result };
}

async function twice(work: () => Promise<Result>): Promise<Result | Failure> {
  const first = await work().catch(failureOf);
  if (!(first instanceof Failure) || FINAL.has(first.code)) return first;
  return await work().catch(failureOf);
}
