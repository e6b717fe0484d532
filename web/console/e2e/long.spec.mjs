/** Thousands of entries: loaded page by page, windowed, smooth. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch } from "./browser.mjs";
import { effort } from "./effort.mjs";

const COUNT = effort(800, 10_000);

let world;
before(async () => {
  world = await launch();
  for (let at = 0; at < COUNT; at++) {
    world.mock.state.records.push({
      seq: at + 1, ts: new Date(1_700_000_000_000 + at * 1000).toISOString(), event: "end", executionId: `exec_${at}`,
      tool: `tool_${at}`, effect: "READ", caller: "mcp test", target: `file_${at}.txt`, ok: true, outcome: "done", durationMs: at % 50,
    });
    const id = `old_${at}`;
    const ts = new Date(1_700_000_000_000 + at * 1000).toISOString();
    world.mock.state.entries.push({ ts, type: "ui_prompt", action: "request", requestId: id, offset: at * 2, prompt: { kind: "result", title: `Question ${at}` } });
    world.mock.state.entries.push({ ts, type: "ui_prompt", action: "response", requestId: id, offset: at * 2 + 1, response: { status: "ok" } });
  }
});
after(() => world.close());

/** Scrolls to the end until all is loaded; then measures frames of a long scroll. */
async function loadAll(page, scroller, isUpwards) {
  await page.locator(`${scroller} [role=listitem]`).first().waitFor();
  const isAllLoaded = await page.evaluate(async ([selector, goesUp]) => {
    const end = performance.now() + 60_000;
    const body = document.querySelector(selector);
    const more = () => body.querySelector(".load-more");
    const isAtEnd = () => (goesUp ? body.scrollTop < 2 : body.scrollHeight - body.scrollTop - body.clientHeight < 2);
    while ((more() || !isAtEnd()) && performance.now() < end) {
      body.scrollTo(0, goesUp ? 0 : body.scrollHeight);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return !more();
  }, [scroller, isUpwards]);
  assert.ok(isAllLoaded, "the list did not end");
}
async function rowsWhileScrolling(page, scroller) {
  return await page.evaluate(async (selector) => {
    const body = document.querySelector(selector);
    body.scrollTo(0, 0);
    let most = 0;
    for (let at = 0; at < 120; at++) {
      body.scrollBy(0, 400);
      await new Promise(requestAnimationFrame);
      most = Math.max(most, document.querySelectorAll(".step, .entry").length);
    }
    return most;
  }, scroller);
}

for (const [path, last, scroller, isUpwards] of [["history", "file_0.txt", ".story", true], ["inbox", "Question 0", ".inbox-page", false]]) {
  test(`of ${COUNT} entries of ${path} only those near the view are in the document`, async () => {
    const page = await world.open({ path });
    await loadAll(page, scroller, isUpwards);
    await page.getByText(last, { exact: true }).waitFor();
    const rows = await rowsWhileScrolling(page, scroller);
    assert.ok(rows > 0 && rows < 600, `${rows} rows in the document`);
  });
}

test("a replay of many pages begins at the first step and counts them all", async () => {
  const page = await world.open({ path: `history/${encodeURIComponent("replay:caller:mcp test")}` });
  await page.getByText(`Step 1 of ${COUNT}`, { exact: true }).waitFor();
  await page.locator(".replay-bar .primary").press("End");
  await page.getByText(`Step ${COUNT} of ${COUNT}`, { exact: true }).waitFor();
  const cells = await page.locator(".strip .cell").count();
  assert.ok(cells > 0 && cells < 100, `${cells} cells in the document`);
});
