/** Which of very many rows of equal height are near the visible part. */

export interface Window {
  first: number;
  last: number;
}

const SPARE = 20;
/** Rows appear and disappear in steps of this size, so most scrolling draws nothing. */
export const STEP = 10;

export function windowOf(scrollTop: number, height: number, rowHeight: number, count: number): Window {
  const first = Math.max(0, Math.floor((scrollTop / rowHeight - SPARE) / STEP) * STEP);
  const last = Math.min(count, Math.ceil(((scrollTop + height) / rowHeight + SPARE) / STEP) * STEP);
  return { first: Math.min(first, last), last };
}

/** The first rows of the steps in a window. */
export const blocksOf = ({ first, last }: Window): number[] => Array.from({ length: Math.ceil((last - first) / STEP) }, (_, at) => first + at * STEP);

/** How far to scroll so that a row is visible with some of its neighbours; undefined if it already is. */
export function scrollFor(row: number, scrollTop: number, height: number, rowHeight: number): number | undefined {
  const margin = Math.min(3 * rowHeight, height / 4);
  const top = row * rowHeight;
  if (top < scrollTop) return Math.max(0, top - margin);
  if (top + rowHeight > scrollTop + height) return top + rowHeight - height + margin;
  return undefined;
}
