/** Checks an action's parameters; a bad one is SCHEMA_VALIDATION_FAILED and names its field. */

import { Failure } from "./failure";

export type Check<T> = (value: unknown) => T;
class Mismatch extends Error {}

/** Checks by name. There is no type constraint on them here, because it would hide each check's own type. */
export type Parsed<S> = { [K in keyof S]: S[K] extends Check<infer T> ? T : never };

const mismatch = (message: string): never => {
  throw new Mismatch(message);
};

export const text: Check<string> = (value) => (typeof value === "string" ? value : mismatch("must be a string"));
export const filled: Check<string> = (value) => (text(value) === "" ? mismatch("must not be empty") : (value as string));
export const flag: Check<boolean> = (value) => (typeof value === "boolean" ? value : mismatch("must be true or false"));
export const number: Check<number> = (value) => (typeof value === "number" && Number.isFinite(value) ? value : mismatch("must be a number"));
export const whole = (least: number, most = Number.MAX_SAFE_INTEGER): Check<number> => (value) =>
  Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most
    ? (value as number)
    : mismatch(most === Number.MAX_SAFE_INTEGER ? `must be a whole number from ${least}` : `must be a whole number from ${least} to ${most}`);
export const oneOf = <const T extends string>(...names: T[]): Check<T> => (value) =>
  names.includes(value as T) ? (value as T) : mismatch(`must be one of ${names.join(", ")}`);
export const listOf = <T>(item: Check<T>): Check<T[]> => (value) =>
  Array.isArray(value) && value.length ? value.map(item) : mismatch("must be a list with at least one item");

/** On input, absent and null both mean: not given. */
export const optional = <T>(check: Check<T>): Check<T | undefined> => (value) => (value === undefined || value === null ? undefined : check(value));
export const fallback = <T>(check: Check<T>, otherwise: T): Check<T> => (value) => (value === undefined || value === null ? otherwise : check(value));

/** Web pages only; the server's rules check the host. */
export const pageUrl: Check<string> = (value) => {
  const address = filled(value);
  if (address === "about:blank") return address;
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return mismatch("must be a whole URL, such as https://example.org/");
  }
  if (url.username || url.password) return mismatch("must not hold a user name or password");
  return url.href;
};

export function parse<S extends object>(action: string, input: unknown, shape: S): Parsed<S> {
  if (typeof input !== "object" || input === null || Array.isArray(input)) throw invalid(action, [{ field: "", message: "must be an object" }]);
  const parsed: Record<string, unknown> = {};
  const problems: { field: string; message: string }[] = [];
  for (const [name, check] of Object.entries(shape) as [string, Check<unknown>][]) {
    try {
      const value = check((input as Record<string, unknown>)[name]);
      if (value !== undefined) parsed[name] = value;
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      problems.push({ field: name, message: name in input ? error.message : "is missing" });
    }
  }
  if (problems.length) throw invalid(action, problems);
  return parsed as Parsed<S>;
}

export function invalid(action: string, problems: { field: string; message: string }[]): Failure {
  const text = problems.map(({ field, message }) => `${action}${field && `.${field}`} ${message}`).join("; ");
  return new Failure("SCHEMA_VALIDATION_FAILED", text, { fieldErrors: problems });
}
