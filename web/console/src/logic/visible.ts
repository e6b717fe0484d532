/** Makes invisible characters visible; the same rule as kernel/visible.py. */

const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}\p{Co}\p{Cn}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}\u{16fe4}]/gu;

const escapeOf = (char: string): string => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
const isKept = (char: string): boolean => char === " " || char === "\n" || char === "\t" || char === "\u3000";

/** Replaces every code point that is invisible or looks like a blank with `\u{…}`, except blank, LF, TAB and U+3000. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (char) => (isKept(char) ? char : escapeOf(char)));
}

export interface VisiblePart {
  text: string;
  isEscape: boolean;
}

/** The same text in parts, so that an escape can be distinguished from text that only looks like one. */
export function visibleParts(text: string): VisiblePart[] {
  const parts: VisiblePart[] = [];
  let end = 0;
  const push = (part: string, isEscape: boolean): void => {
    const last = parts.at(-1);
    if (last && last.isEscape === isEscape) last.text += part;
    else if (part) parts.push({ text: part, isEscape });
  };
  for (const match of text.matchAll(HIDDEN)) {
    if (isKept(match[0])) continue;
    push(text.slice(end, match.index), false);
    push(escapeOf(match[0]), true);
    end = match.index + match[0].length;
  }
  push(text.slice(end), false);
  return parts;
}
