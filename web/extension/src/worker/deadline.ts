/** The time limit of an action; every wait is bounded by it. */

import { Failure } from "./failure";

export class Deadline {
  readonly at: number;

  constructor(readonly ms: number, private readonly now: () => number = () => performance.now()) {
    this.at = now() + ms;
  }

  left(): number {
    return Math.max(0, this.at - this.now());
  }

  /** `code` is the error if this particular wait times out. */
  async within<T>(work: Promise<T>, code = "PLUGIN_TIMEOUT_EXEC", what = "The action took too long"): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Failure(code, `${what} (${Math.round(this.ms)} ms).`)), this.left());
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The promise's value, or the fallback if it takes too long. */
export async function soon<T, F>(work: Promise<T>, ms: number, otherwise: F): Promise<T | F> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<F>((resolve) => (timer = setTimeout(() => resolve(otherwise), ms)));
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
