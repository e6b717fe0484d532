import { expect, test } from "vitest";
import type { ChangePart } from "@handrail/host";
import { asWritten, count, EVERYTHING, isEditable, isWhole, takenParts, toggled } from "../src/features/people/logic/parts";

const hunk = (startOld: number) => ({ startOld, startNew: startOld, linesOld: ["a"], linesNew: ["b"] });
const scene: ChangePart = { path: "scene.txt", hunks: [hunk(1), hunk(5), hunk(9)], content: "b\n" };
const notes: ChangePart = { path: "notes.md", hunks: [hunk(1)] };
const empty: ChangePart = { path: "empty.txt", hunks: [] };

test("everything is a whole yes, and says nothing of parts", () => {
  expect(isWhole([scene, notes], EVERYTHING)).toBe(true);
  expect(takenParts([scene, notes], EVERYTHING)).toEqual({});
});

test("of one file the places of its hunks are sent", () => {
  const taking = toggled(EVERYTHING, scene, [1], false);
  expect(takenParts([scene], taking)).toEqual({ hunks: [0, 2] });
  expect(count([scene], taking)).toEqual({ taken: 2, all: 3 });
  expect(isWhole([scene], toggled(taking, scene, [1], true))).toBe(true);
});

test("of several files those that are taken are named, whole where they are whole", () => {
  const taking = toggled(toggled(EVERYTHING, scene, [0], false), empty, [-1], false);
  expect(takenParts([scene, notes, empty], taking)).toEqual({ files: [{ path: "scene.txt", hunks: [1, 2] }, { path: "notes.md" }] });
});

test("nothing taken is no yes", () => {
  expect(takenParts([scene], toggled(EVERYTHING, scene, [0, 1, 2], false))).toBeNull();
});

test("an edited text is sent, and one that is as it was proposed is not", () => {
  expect(takenParts([scene], { left: new Set(), texts: new Map([["scene.txt", "mine\n"]]) })).toEqual({ content: "mine\n" });
  expect(takenParts([scene], { left: new Set(), texts: new Map([["scene.txt", "b\n"]]) })).toEqual({});
});

test("line endings survive the text field", () => {
  const dos = { ...scene, content: "a\r\nb\r\n" };
  expect(asWritten(dos, "a\nc\n")).toBe("a\r\nc\r\n");
  expect(isEditable(dos)).toBe(true);
  expect(isEditable({ ...scene, content: "a\r\nb\n" })).toBe(false);
});
