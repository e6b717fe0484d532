/** A refusal with the contract's error code; anything else that is thrown is a bug. */

export class Refusal extends Error {
  constructor(readonly code: string, message: string, readonly details: Record<string, unknown> = {}) {
    super(message);
  }
}

export const noTarget = (message: string, details: Record<string, unknown> = {}): Refusal =>
  new Refusal("INVALID_TARGET", message, details);
