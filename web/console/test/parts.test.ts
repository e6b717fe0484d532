import { expect, test } from "vitest";
import type { ChangePart } from "@handrail/host";
import { asWritten, count, EVERYTHING, isEditable, isWhole, chosenParts, withToggled } from "../src/features/people/logic/parts";

const hunk = (startOld: number) => ({ startOld, startNew: startOld, linesOld: ["a"], linesNew: ["b"] });
const scene: ChangePart = { path: "scene.txt", hunks: [hunk(1), hunk(5), hunk(9)], content: "b\n" };
const notes: ChangePart = { path: "notes.md", hunks: [hunk(1)] };
const empty: ChangePart = { path: "empty.txt", hunks: [] };

test("choosing everything is a full yes without parts", () => {
  expect(isWhole([scene, notes], EVERYTHING)).toBe(true);
  expect(chosenParts([scene, notes], EVERYTHING)).toEqual({});
});

test("for one file, the indexes of its hunks are sent", () => {
  const taking = withToggled(EVERYTHING, scene, [1], false);
  expect(chosenParts([scene], taking)).toEqual({ hunks: [0, 2] });
  expect(count([scene], taking)).toEqual({ taken: 2, all: 3 });
  expect(isWhole([scene], withToggled(taking, scene, [1], true))).toBe(true);
});

test("for several files, the accepted ones are named, without hunks if they are complete", () => {
  const taking = withToggled(withToggled(EVERYTHING, scene, [0], false), empty, [-1], false);
  expect(chosenParts([scene, notes, empty], taking)).toEqual({ files: [{ path: "scene.txt", hunks: [1, 2] }, { path: "notes.md" }] });
});

test("accepting nothing is not a yes", () => {
  expect(chosenParts([scene], withToggled(EVERYTHING, scene, [0, 1, 2], false))).toBeNull();
});

test("an edited text is sent, an unchanged one is not", () => {
  expect(chosenParts([scene], { left: new Set(), texts: new Map([["scene.txt", "mine\n"]]) })).toEqual({ content: "mine\n" });
  expect(chosenParts([scene], { left: new Set(), texts: new Map([["scene.txt", "b\n"]]) })).toEqual({});
});

test("line endings survive the text field", () => {
  const dos = { ...scene, content: "a\r\nb\r\n" };
  expect(asWritten(dos, "a\nc\n")).toBe("a\r\nc\r\n");
  expect(isEditable(dos)).toBe(true);
  expect(isEditable({ ...scene, content: "a\r\nb\n" })).toBe(false);
});
