/** Long lists come in pages, each of which names the next. */

export const PAGE = 200;

/** Absent once everything is loaded. */
export const token = (next: string | number | null | undefined): string | undefined =>
  next === undefined || next === null ? undefined : String(next);
