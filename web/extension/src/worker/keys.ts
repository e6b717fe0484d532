/** Keys by the names that pages use, with what the debugger needs to press them. */

import { Failure } from "./failure";

export interface Key { key: string; code: string; keyCode: number; text?: string }
export interface Chord { modifiers: string[]; key: Key }

export const MODIFIER_BITS: Record<string, number> = { Alt: 1, Control: 2, Meta: 4, Shift: 8 };
const ALIASES: Record<string, string> = {
  ctrl: "Control", control: "Control", cmd: "Meta", command: "Meta", meta: "Meta", super: "Meta", win: "Meta", option: "Alt", alt: "Alt", shift: "Shift",
  esc: "Escape", return: "Enter", del: "Delete", ins: "Insert", up: "ArrowUp", down: "ArrowDown", left: "ArrowLeft", right: "ArrowRight",
  pgup: "PageUp", pgdn: "PageDown", spacebar: "Space",
};
const NAMED: Record<string, [code: string, keyCode: number, text?: string]> = {
  Enter: ["Enter", 13, "\r"], Tab: ["Tab", 9], Escape: ["Escape", 27], Backspace: ["Backspace", 8], Delete: ["Delete", 46], Insert: ["Insert", 45],
  Home: ["Home", 36], End: ["End", 35], PageUp: ["PageUp", 33], PageDown: ["PageDown", 34],
  ArrowLeft: ["ArrowLeft", 37], ArrowUp: ["ArrowUp", 38], ArrowRight: ["ArrowRight", 39], ArrowDown: ["ArrowDown", 40],
  Space: ["Space", 32, " "], ContextMenu: ["ContextMenu", 93], CapsLock: ["CapsLock", 20],
  Control: ["ControlLeft", 17], Shift: ["ShiftLeft", 16], Alt: ["AltLeft", 18], Meta: ["MetaLeft", 91],
};
/** US layout: the character and, with Shift, its partner. */
const SYMBOLS: Record<string, [code: string, keyCode: number]> = {
  "-_": ["Minus", 189], "=+": ["Equal", 187], "[{": ["BracketLeft", 219], "]}": ["BracketRight", 221], "\\|": ["Backslash", 220], ";:": ["Semicolon", 186],
  "'\"": ["Quote", 222], "`~": ["Backquote", 192], ",<": ["Comma", 188], ".>": ["Period", 190], "/?": ["Slash", 191], "1!": ["Digit1", 49], "2@": ["Digit2", 50],
  "3#": ["Digit3", 51], "4$": ["Digit4", 52], "5%": ["Digit5", 53], "6^": ["Digit6", 54], "7&": ["Digit7", 55], "8*": ["Digit8", 56], "9(": ["Digit9", 57], "0)": ["Digit0", 48],
};

/** Any single character; one that isn't on the US layout has no code. */
export function characterKey(character: string): Key & { isShifted: boolean } {
  if (character === " ") return { key: " ", code: "Space", keyCode: 32, text: " ", isShifted: false };
  if (/^[a-z]$/i.test(character)) {
    const upper = character.toUpperCase();
    return { key: character, code: `Key${upper}`, keyCode: upper.charCodeAt(0), text: character, isShifted: character === upper };
  }
  for (const [pair, [code, keyCode]] of Object.entries(SYMBOLS)) {
    const at = pair.indexOf(character);
    if (at >= 0) return { key: character, code, keyCode, text: character, isShifted: at === 1 };
  }
  return { key: character, code: "", keyCode: 0, text: character, isShifted: false };
}

/** `Enter`, `Control+a`, `Shift+Tab`, `Control++`. */
export function parseChord(combination: string): Chord {
  const parts = combination.endsWith("++") ? [...combination.slice(0, -2).split("+"), "+"] : combination === "+" ? ["+"] : combination.split("+");
  const names = parts.map((part) => (part.length > 1 ? (ALIASES[part.toLowerCase()] ?? proper(part)) : part));
  const last = names.pop() ?? "";
  const unknown = names.find((name) => !(name in MODIFIER_BITS));
  if (unknown !== undefined || !last) throw noKey(combination);
  const modifiers = [...new Set(names)];
  return { modifiers, key: single(last, modifiers, combination) };
}

const proper = (name: string): string => Object.keys(NAMED).find((one) => one.toLowerCase() === name.toLowerCase()) ?? name;

function single(name: string, modifiers: string[], combination: string): Key {
  const entry = NAMED[name];
  const isCommand = modifiers.some((one) => one !== "Shift");
  if (entry) {
    const [code, keyCode, text] = entry;
    const key: Key = { key: name === "Space" ? " " : name, code, keyCode };
    if (text !== undefined && !isCommand) key.text = text;
    return key;
  }
  const functionKey = /^F([1-9]|1[0-9]|2[0-4])$/i.exec(name);
  if (functionKey) return { key: `F${functionKey[1]}`, code: `F${functionKey[1]}`, keyCode: 111 + Number(functionKey[1]) };
  if ([...name].length !== 1) throw noKey(combination);
  const { isShifted: _, ...found } = characterKey(modifiers.includes("Shift") && /^[a-z]$/.test(name) ? name.toUpperCase() : name);
  if (isCommand) delete found.text;
  return found;
}

function noKey(combination: string): Failure {
  return new Failure("SCHEMA_VALIDATION_FAILED", `browser_press_key.key ${JSON.stringify(combination)} names no key`, {
    fieldErrors: [{ field: "key", message: "names no key" }],
    hint: "For example Enter, Escape, ArrowDown, Control+a.",
  });
}
