/** Words for what agents want to do and have done. */

import type { Act, Subject } from "../logic/acts";

export interface ActTexts {
  /** As a question's headline. */
  asks: Record<Act, (about: Subject) => string>;
  /** As a sentence about the past: the words before a single object, and the sentence about several. */
  did: Record<Act, [string, (count: number) => string]>;
  /** The same if no object is known. */
  alone: Partial<Record<Act, string>>;
  /** Tools that need no object. */
  tools: Record<string, string>;
  /** A dry run: nothing was written. */
  tried: string;
  /** Before what was typed into a running program. */
  typedIn: string;
  unnamed: string;
  /** The name of `.`. */
  root: string;
}
