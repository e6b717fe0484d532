/** Words for what agents want to do and have done. */

import type { Act, Subject } from "../logic/acts";

export interface ActTexts {
  /** As a question's headline. */
  asks: Record<Act, (about: Subject) => string>;
  /** As a sentence about the past: the words before the one object, and the sentence about several. */
  did: Record<Act, [string, (count: number) => string]>;
  /** The same where no object is known. */
  alone: Partial<Record<Act, string>>;
  /** Tools that need no object at all. */
  tools: Record<string, string>;
  /** An edit that was only tried: nothing was written. */
  tried: string;
  unnamed: string;
  /** What `.` is called. */
  root: string;
}
