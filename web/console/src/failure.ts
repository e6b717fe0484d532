/** An error as a person reads it. */

import { HostError } from "@handrail/host";
import { visible } from "./logic/visible";

export function messageOf(error: unknown): string {
  if (error instanceof HostError) return visible(`${error.message} (${error.code})`);
  return visible(error instanceof Error ? error.message : String(error));
}

/** What the server found wrong with single fields, by their key; those of a form stand below `values`. */
export function fieldErrorsOf(error: unknown): Map<string, string> {
  const found = error instanceof HostError ? error.details.fieldErrors : undefined;
  return new Map((found ?? []).map(({ field, message }) => [field.replace(/^values\./, ""), visible(message)]));
}
