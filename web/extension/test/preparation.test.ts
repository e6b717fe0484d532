import { expect, test } from "vitest";
import { Failure } from "../src/worker/failure";
import { isPreparation, prepare } from "../src/worker/preparation";

const PICTURE = "browser_screenshot";
const TEXT = "browser_readability_extract";

/** Runs that end as listed, one after another. */
function runs(ends: Record<string, (object | Failure)[]>) {
  const calls: string[] = [];
  return {
    calls,
    run: async (name: string) => {
      calls.push(name);
      const end = ends[name]!.shift()!;
      if (end instanceof Failure) throw end;
      return end as Record<string, unknown>;
    },
  };
}
const broken = () => new Failure("ARTIFACT_UPLOAD_FAILED", "no");

test("only picture and text together are a preparation", () => {
  expect(isPreparation([PICTURE, TEXT])).toBe(true);
  expect(isPreparation([TEXT, PICTURE])).toBe(true);
  expect(isPreparation([PICTURE])).toBe(false);
  expect(isPreparation([PICTURE, TEXT, "browser_click"])).toBe(false);
});

test("each part is tried twice", async () => {
  const { run, calls } = runs({ [PICTURE]: [broken(), { artifactId: "p", screenshotUploaded: true }], [TEXT]: [{ markdown: "m" }] });
  expect(await prepare(run)).toMatchObject({ status: "success", result: { artifactId: "p", markdown: "m" } });
  expect(calls).toEqual([PICTURE, PICTURE, TEXT]);
});

test("a missing part is named, and the other is still returned", async () => {
  const { run } = runs({ [PICTURE]: [{ artifactId: "p" }], [TEXT]: [broken(), broken()] });
  expect(await prepare(run)).toMatchObject({ status: "partial", result: { artifactId: "p", missing: [TEXT], warnings: [expect.stringContaining(TEXT)] } });
});

test("without both parts it fails and is retryable", async () => {
  const { run } = runs({ [PICTURE]: [broken(), broken()], [TEXT]: [broken(), broken()] });
  await expect(prepare(run)).rejects.toMatchObject({ code: "PAGE_PREP_FAILED", retryable: true });
});

test("a closed tab is reported as closed, without a retry", async () => {
  const gone = () => new Failure("TASK_TAB_CLOSED", "closed");
  const { run, calls } = runs({ [PICTURE]: [gone()], [TEXT]: [gone()] });
  await expect(prepare(run)).rejects.toMatchObject({ code: "TASK_TAB_CLOSED" });
  expect(calls).toEqual([PICTURE, TEXT]);
});
