import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { nextTaskId, claimNextTaskId } from "../src/features/agent/actions/newTask";
import { draftOf, keepDraft } from "../src/features/agent/actions/drafts";
import { upload, uploadsOf } from "../src/features/agent/actions/uploading";

/** A server whose uploads end when the test says so: by the file's name. */
let finish = new Map<string, () => void>();
let tasks = 0;

beforeEach(() => {
  finish = new Map();
  vi.stubGlobal("location", { href: "http://127.0.0.1:6006/" });
  vi.stubGlobal("fetch", async (url: string, { body }: RequestInit = {}) => {
    if (url === "/api/task/id") return Response.json({ ok: true, data: { taskId: `task-${++tasks}` } });
    if (url === "/api/artifacts/presign") {
      const { name, taskId } = JSON.parse(body as string) as { name: string; taskId: string };
      return Response.json({ ok: true, data: { artifactId: `${taskId} ${name}`, uploadUrl: `/artifacts/${name}` } });
    }
    await new Promise<void>((resolve) => finish.set(url, resolve));
    return url.includes("bad") ? Response.json({ ok: false, error: {} }, { status: 413 }) : Response.json({ ok: true, data: {} });
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  keepDraft("one", { text: "", attachments: [] });
  keepDraft("", { text: "", attachments: [] });
});

const file = (name: string): File => new File(["x"], name, { type: "text/plain" });
const end = async (name: string): Promise<void> => (await vi.waitFor(() => finish.get(`/artifacts/${name}`) ?? expect.fail(name), 10_000))();

test("sending waits for every upload, whichever finishes first", async () => {
  const [long, short] = [upload("one", [file("long")]), upload("one", [file("short")])];
  await end("short");
  await short;
  expect(uploadsOf("one")).toEqual([{ name: "long" }]);
  await end("long");
  await long;
  expect(uploadsOf("one")).toEqual([]);
  expect(draftOf("one").attachments.map(({ name }) => name)).toEqual(["short", "long"]);
});

test("a refused file doesn't block sending", async () => {
  const refused = expect(upload("one", [file("bad")])).rejects.toThrow();
  await end("bad");
  await refused;
  expect([uploadsOf("one"), draftOf("one").attachments]).toEqual([[], []]);
});

test("files without a task belong to the next new task, and later ones to another", async () => {
  const both = [upload("", [file("a")]), upload("", [file("b")])];
  await end("a");
  await end("b");
  await Promise.all(both);
  const { begins, attachments } = draftOf("");
  expect(attachments.map(({ id }) => id).sort()).toEqual([`${begins} a`, `${begins} b`]);
  expect(await claimNextTaskId()).toBe(begins);
  keepDraft("", { text: "", attachments: [] });
  expect(await nextTaskId()).not.toBe(begins);
});
