/** A refusal that says which rule of the contract it is; anything else that is thrown is a defect. */

export class Refusal extends Error {
  constructor(readonly code: string, message: string, readonly details: Record<string, unknown> = {}) {
    super(message);
  }
}

export const noTarget = (message: string, details: Record<string, unknown> = {}): Refusal =>
  new Refusal("INVALID_TARGET", message, details);
