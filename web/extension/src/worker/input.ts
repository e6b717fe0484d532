/** Trusted mouse and keyboard input through the debugger. Commands are sent together; the browser keeps their order. */

import { onDetached, send } from "./debuggee";
import { isLeavingSince } from "./departures";
import { originCheck } from "./required_origin";
import { characterKey, type Chord, type Key, MODIFIER_BITS } from "./keys";
import { ownInput } from "./own_input";
import type { Point } from "../page/api";
import type { Aimed } from "./aiming";

/**
 * Longer texts are inserted at once except for their last key; up to this length (a code's boxes, a terminal's line)
 * pages get every key.
 */
const KEYED_LENGTH = 100;

/** How the mouse is pressed: with which button and modifier keys, how often, for how long. */
export interface Press { button: "left" | "right" | "middle"; clicks: number; modifiers: number; holdMs: number }
export const PLAIN: Press = { button: "left", clicks: 1, modifiers: 0, holdMs: 0 };
const BUTTON_BITS = { left: 1, right: 2, middle: 4 };

export async function click(tabId: number, aimed: Aimed, press = PLAIN): Promise<void> {
  if (aimed.isInPopup || press.holdMs) {
    await pressMouse(tabId, aimed, press);
    return await releaseMouse(tabId, aimed, press);
  }
  await Promise.all([pressMouse(tabId, aimed, press), releaseMouse(tabId, aimed, press)]);
}

/** Where the mouse is in each tab. */
const places = new Map<number, Point>();
onDetached((tabId) => void places.delete(tabId));

function mouse(tabId: number, type: string, { x, y }: Point, rest: object): Promise<unknown> {
  places.set(tabId, { x, y });
  return send(tabId, "Input.dispatchMouseEvent", { type, x, y, ...rest });
}

export async function pressMouse(tabId: number, { point, inFrame, isInPopup }: Aimed, { button, modifiers } = PLAIN): Promise<void> {
  // A list that has just opened ignores the first move, or takes it for one on what has opened under the mouse.
  const before = places.get(tabId);
  if (isInPopup && before) await mouse(tabId, "mouseMoved", { x: before.x + 1, y: before.y }, { button: "none", buttons: 0, modifiers });
  ownInput.pointer(tabId, inFrame.x, inFrame.y);
  await Promise.all([
    mouse(tabId, "mouseMoved", point, { button: "none", buttons: 0, modifiers }),
    mouse(tabId, "mousePressed", point, { button, buttons: BUTTON_BITS[button], clickCount: 1, modifiers }),
  ]);
}

/** Releases the mouse, and repeats the click if more than one was asked for. */
export async function releaseMouse(tabId: number, { point, inFrame }: Aimed, { button, modifiers, clicks, holdMs } = PLAIN): Promise<void> {
  const stay = originCheck(tabId);
  const begunAt = performance.now();
  if (holdMs) await new Promise((resolve) => setTimeout(resolve, holdMs));
  await mouse(tabId, "mouseReleased", point, { button, buttons: 0, clickCount: 1, modifiers });
  for (let clickCount = 2; clickCount <= clicks; clickCount++) {
    if (isLeavingSince(tabId, begunAt)) return; // the next click would land on another page
    await stay();
    ownInput.pointer(tabId, inFrame.x, inFrame.y);
    await mouse(tabId, "mousePressed", point, { button, buttons: BUTTON_BITS[button], clickCount, modifiers });
    await mouse(tabId, "mouseReleased", point, { button, buttons: 0, clickCount, modifiers });
  }
}

/** Releases the mouse outside the page, where that clicks nothing. */
export async function letGoElsewhere(tabId: number): Promise<void> {
  const outside = { x: -1, y: -1 };
  await Promise.all([mouse(tabId, "mouseMoved", outside, { button: "left", buttons: 1 }), mouse(tabId, "mouseReleased", outside, { button: "left", buttons: 0, clickCount: 0 })]).catch(() => undefined);
}

export async function hover(tabId: number, aimed: Aimed): Promise<void> {
  await mouse(tabId, "mouseMoved", aimed.point, { button: "none", buttons: 0 });
}

export async function wheel(tabId: number, { point }: Aimed, deltaX: number, deltaY: number): Promise<void> {
  await mouse(tabId, "mouseWheel", point, { deltaX, deltaY });
}

function strokes(tabId: number, key: Key, modifiers: number, commands?: string[]): Promise<unknown>[] {
  ownInput.key(tabId, key.key);
  const common = { key: key.key, code: key.code, windowsVirtualKeyCode: key.keyCode, nativeVirtualKeyCode: key.keyCode, modifiers };
  const down = { type: key.text === undefined ? "rawKeyDown" : "keyDown", ...common, ...(key.text === undefined ? {} : { text: key.text, unmodifiedText: key.text }) };
  return [
    send(tabId, "Input.dispatchKeyEvent", commands ? { ...down, commands } : down),
    send(tabId, "Input.dispatchKeyEvent", { type: "keyUp", ...common }),
  ];
}

/** Control with a letter is an editing command of the browser, and has to be named because the keys aren't real. */
export const modifierBits = (names: string[]): number => names.reduce((sum, name) => sum | MODIFIER_BITS[name]!, 0);

const EDITING: Record<string, string> = { a: "selectAll", c: "copy", v: "paste", x: "cut", z: "undo", y: "redo" };

export async function press(tabId: number, { modifiers, key }: Chord): Promise<void> {
  const bits = modifiers.reduce((sum, name) => sum | MODIFIER_BITS[name]!, 0);
  const command = bits === MODIFIER_BITS["Control"] || bits === MODIFIER_BITS["Meta"] ? EDITING[key.key.toLowerCase()] : undefined;
  await Promise.all(strokes(tabId, key, bits, command ? [command] : undefined));
}

export const enter: Chord = { modifiers: [], key: { key: "Enter", code: "Enter", keyCode: 13, text: "\r" } };
const erase: Chord = { modifiers: [], key: { key: "Delete", code: "Delete", keyCode: 46 } };

/** Types into the focused element. Short plain texts go key by key, because some pages listen only for keys. */
export async function type(tabId: number, text: string, isReplacing: boolean): Promise<void> {
  if (text === "") {
    if (isReplacing) await press(tabId, erase);
    return;
  }
  const isPlain = /^[\x20-\x7e]*$/.test(text);
  const inserted = !isPlain ? text : text.length > KEYED_LENGTH ? text.slice(0, -1) : "";
  await Promise.all([
    ...(inserted ? [send(tabId, "Input.insertText", { text: inserted })] : []),
    ...[...text.slice(inserted.length)].flatMap((character) => {
      const { isShifted, ...key } = characterKey(character);
      return strokes(tabId, key, isShifted ? MODIFIER_BITS["Shift"]! : 0);
    }),
  ]);
}
