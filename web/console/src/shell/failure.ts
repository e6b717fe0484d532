/** An error in words for people. */

import { HostError } from "@handrail/host";
import { translateServerText, translateFailure } from "../logic/serverText";
import { visible } from "../logic/visible";
import { texts } from "../store";

export function messageOf(error: unknown): string {
  if (error instanceof HostError && error.code === "OFFLINE") return texts.value.notResponding;
  if (error instanceof HostError) return visible(`${translateFailure(error.message, error.code)} (${error.code})`);
  return visible(error instanceof Error ? error.message : String(error));
}

/** The server's errors about single fields, by the path to each. */
export function fieldErrorsOf(error: unknown): Map<string, string> {
  const fieldErrors = error instanceof HostError ? error.details.fieldErrors : undefined;
  return new Map((fieldErrors ?? []).map(({ field, message }) => [field, visible(translateServerText(message))]));
}

/** Errors below `path`, by the rest of their path. */
export function errorsBelow(errors: ReadonlyMap<string, string>, path: string): Map<string, string> {
  const below = [...errors].filter(([field]) => field.startsWith(`${path}.`));
  return new Map(below.map(([field, message]) => [field.slice(path.length + 1), message]));
}

/** For forms with one field for each first-level member. */
export function errorsByRoot(errors: ReadonlyMap<string, string>): Map<string, string> {
  const roots = new Map<string, string>();
  for (const [field, message] of errors) {
    const [root = "", ...below] = field.split(".");
    if (!roots.has(root)) roots.set(root, below.length ? `${below.join(".")}: ${message}` : message);
  }
  return roots;
}
