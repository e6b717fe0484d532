/** How an action can fail, in the contract's codes. */

import { ERRORS, type ErrorCode, type WireError } from "../protocol";

const isRetryable = (code: string): boolean => code in ERRORS && ERRORS[code as ErrorCode].isRetryable;

export class Failure extends Error {
  readonly retryable: boolean;

  constructor(readonly code: string, message: string, readonly details: Record<string, unknown> = {}, retryable?: boolean) {
    super(message);
    this.retryable = retryable ?? isRetryable(code);
  }

  wire(): WireError {
    const wire: WireError = { code: this.code, message: this.message, retryable: this.retryable };
    if (Object.keys(this.details).length) wire.details = this.details;
    return wire;
  }
}

export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (/no tab with (given )?id|tab was closed/i.test(message)) return new Failure("TASK_TAB_CLOSED", "The tab was closed.");
  if (isForbiddenPage(message)) return new Failure("CDP_PERMISSION_DENIED", `Chrome does not let extensions work on this page: ${message}`);
  return new Failure("PLUGIN_ERROR", message);
}

export const isForbiddenPage = (message: string): boolean =>
  /cannot access|cannot be scripted|extensions gallery|chrome:\/\/ url|different extension|restricted/i.test(message);
