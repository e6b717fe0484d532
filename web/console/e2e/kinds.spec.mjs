/** Every kind of prompt, answered by mouse and by keyboard only. */
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import * as samples from "../dev/samples.mjs";
import { findNothing } from "./forms.mjs";
import { answerTo, armed, eventually, launch } from "./browser.mjs";

let world;
let page;
before(async () => {
  world = await launch();
  page = await world.open();
});
after(() => world.close());
afterEach(() => assert.deepEqual(world.complaints, []));

async function ask(prompt, extra) {
  const id = world.mock.ask(prompt, extra);
  await page.locator(`[data-request="${id}"]:not([hidden])`).waitFor();
  await armed(page);
  return id;
}
const answer = (id) => answerTo(world.mock, id);
const press = async (...keys) => {
  for (const key of keys) await page.keyboard.press(key);
};
/** Presses again if the page has ignored the key, as it does right after it came to the front. */
async function pressUntil(key, text) {
  for (let at = 0; at < 6; at++) {
    await press(key);
    if (await page.getByText(text).waitFor({ timeout: 10_000 }).then(() => true, () => false)) return;
  }
  assert.fail(`${key} does not lead to ${text}`);
}
/** Presses Tab until the element has the focus; fails if the keyboard can't reach it. */
async function tabTo(selector) {
  for (let at = 0; at < 60; at++) {
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted) ?? false, selector)) return;
    await press("Tab");
  }
  assert.fail(`Tab does not reach ${selector}`);
}
/** Waits until the page has moved the focus there, which it does with the next frame. */
const focused = (selector) => page.waitForFunction((wanted) => document.activeElement?.matches(wanted), selector);
const goToPanel = async () => {
  await press("q");
  await focused(".panel article:not([hidden]) h2");
};

test("a change is allowed once by mouse", async () => {
  const id = await ask(samples.change);
  await page.getByRole("button", { name: "Allow once" }).click();
  assert.deepEqual(await answer(id), { status: "ok", scope: "once" });
});

test("similar changes are allowed together, and one that comes while they are shown is not among them", async () => {
  const similar = (digest) => world.mock.ask(samples.change, { bundle: "b", digest, isOwn: true });
  const before = await ask(samples.change);
  const [first, second] = [similar("one"), similar("two")];
  await page.getByText("1 of 3").waitFor();
  await press("n");
  await answer(before);
  await page.locator(`[data-request="${first}"]:not([hidden]) [data-similar="${second}"]`).waitFor();
  const late = similar("late");
  await page.getByRole("button", { name: "Show 1 more" }).waitFor();
  await armed(page);
  await page.getByRole("button", { name: "Allow 2 selected" }).click();
  for (const id of [first, second]) assert.deepEqual(await answer(id), { status: "ok" });
  assert.equal(world.mock.state.entries.some((entry) => entry.action === "response" && entry.requestId === late), false);
  await page.locator(`[data-request="${late}"]:not([hidden])`).waitFor();
  await armed(page);
  await press("n");
  assert.equal((await answer(late)).status, "canceled");
});

test("a change is allowed by the y key and the panel closes after the last answer", async () => {
  const id = await ask(samples.change);
  await press("y");
  assert.equal((await answer(id)).status, "ok");
  await page.locator(".panel").waitFor({ state: "hidden" });
});

test("a change is allowed for its task, as far as was shown before", async () => {
  const id = await ask(samples.approval);
  const { grant } = samples.approval.offers.filter((offer) => offer.scope === "task").at(-1);
  const option = page.locator(".prompt:not([hidden]) .scope-option", { hasText: "All .txt files, during this task" });
  await option.getByText("3 files match today.").waitFor();
  await option.click();
  await page.getByRole("button", { name: "Allow for this task" }).click();
  assert.deepEqual(await answer(id), { status: "ok", scope: "task", grant });
});

test("a wider yes for a place begins like a sentence", async () => {
  const place = { scope: "task", grant: { tools: ["browser_click"], place: "http://localhost:5173", project: "/home/you/my-webgal-game", identity: "agent:claude-code" } };
  const id = await ask({ ...samples.unseenClick, offers: [{ scope: "once" }, place] });
  await page.locator(".scope-option b", { hasText: /^Click on http:\/\/localhost:5173, during this task$/ }).waitFor();
  await press("n");
  assert.equal((await answer(id)).status, "canceled");
});

test("the y key says once, whatever reach was chosen", async () => {
  const id = await ask(samples.approval);
  await page.locator(".prompt:not([hidden]) .scope-option", { hasText: "All .txt files" }).click();
  await press("y");
  assert.deepEqual(await answer(id), { status: "ok", scope: "once" });
});

test("handrail's own approval is told in the person's language and carries a mark; another program's never does", async () => {
  const own = await world.open({ locale: "zh-CN" });
  const id = world.mock.ask(samples.approval, { runId: "beach" });
  const card = own.locator(`[data-request="${id}"]:not([hidden])`);
  await card.locator(".seal", { hasText: "handrail 已核对" }).waitFor();
  await card.getByRole("heading", { name: "编辑 game/scene/beach_date.txt？" }).waitFor();
  const words = await card.evaluate((element) => {
    for (const part of element.querySelectorAll("code, pre, .content, q, kbd, .mono, dd, .agent-name, .card-details")) part.remove();
    return element.innerText;
  });
  assert.doesNotMatch(words, /[A-Za-z]{2,} [A-Za-z]{2,} [A-Za-z]{2,}/, "no English sentence");
  await own.setViewportSize({ width: 390, height: 800 });
  const long = world.mock.ask({ ...samples.approval, card: { ...samples.approval.card, agent: "the-release-notes-agent-of-everyone" } });
  world.mock.answer(id, { response: { status: "canceled" } });
  await own.getByRole("button", { name: "继续" }).click();
  const head = own.locator(`[data-request="${long}"]:not([hidden]) .ask-who`);
  const [name, mark] = [await head.locator(".agent-name").boundingBox(), await head.locator(".seal").boundingBox()];
  assert.ok(mark.x > name.x && mark.y < name.y + name.height && mark.x + mark.width <= 390, "the mark is beside a long name");
  await own.setViewportSize({ width: 1280, height: 860 });
  world.mock.answer(long, { response: { status: "canceled" } });
  const forged = world.mock.ask({ ...samples.approval, title: "checked by handrail" }, { isOwn: false, postedBy: "http:evil (pid 7)" });
  await own.getByRole("button", { name: "继续" }).click();
  const other = own.locator(`[data-request="${forged}"]:not([hidden])`);
  await other.locator(".foreign-mark", { hasText: "http:evil (pid 7)" }).waitFor();
  assert.equal(await other.locator(".seal").count(), 0);
  world.mock.answer(forged, { response: { status: "canceled" } });
  await own.context().close();
  await page.reload(); // it shows what was answered in the other window
  await page.locator(".connection.online").waitFor();
});

test("changed words are marked, and a command is shown in its parts", async () => {
  const id = await ask({ ...samples.approval, diff: "--- a/a.js\n+++ b/a.js\n@@ -1 +1 @@\n-const tax = 0;\n+const tax = 19;\n", path: "a.js" });
  const card = page.locator(`[data-request="${id}"]`);
  assert.deepEqual(await card.locator(".changed-word").allInnerTexts(), ["0", "19"]);
  assert.equal(await card.locator(".code-word").first().innerText(), "const");
  await press("n");
  await answer(id);
  const run = await ask(samples.shell);
  await eventually(() => page.locator(`[data-request="${run}"] .parts li`).allInnerTexts(), ["npm\ntest", "tee\nout.txt"]);
  await page.getByText("What npm starts is unknown.").waitFor();
  await press("n");
  await answer(run);
});

test("what can't be seen is never allowed by a key or by the first button", async () => {
  const id = await ask(samples.unseenClick);
  await page.getByText("Another window may cover it.").waitFor();
  await press("y");
  await armed(page);
  assert.equal(world.mock.state.received.some((one) => one.requestId === id), false);
  assert.equal(await page.locator(".prompt:not([hidden]) .acts .primary").innerText().then((text) => text.startsWith("Deny")), true);
  await press("n");
  assert.equal((await answer(id)).status, "canceled");
});

test("what is always allowed is edited first, and exactly what the preview shows is sent", async () => {
  const id = await ask(samples.approval);
  const { grant } = samples.approval.offers.find((offer) => offer.scope === "rule");
  const editor = page.locator(".prompt:not([hidden]) .grant-editor");
  await page.locator(".prompt:not([hidden]) .scope-option", { hasText: "Always…" }).click();
  await editor.getByText("1 file matches today.").waitFor();
  await editor.getByLabel("Files").selectOption("game/scene/*");
  await editor.getByText("3 files match today.").waitFor();
  await editor.getByLabel("Where").selectOption("All projects");
  await editor.getByLabel("Until").selectOption("1 hour");
  await editor.locator(".grant-preview").getByText("in all projects").waitFor();
  const size = page.viewportSize();
  await findNothing(page, "the editor of a grant");
  await page.setViewportSize(size);
  await editor.getByLabel("Files").selectOption("Another pattern…");
  await editor.getByLabel("Pattern").fill("docs/**");
  await editor.getByRole("alert").getByText("must cover the path").waitFor();
  const allow = page.locator(".prompt:not([hidden])").getByRole("button", { name: "Always allow" });
  assert.equal(await allow.isEnabled(), false);
  await editor.getByLabel("Pattern").fill("game/**");
  await allow.click();
  const { grant: sent, ...rest } = await answer(id);
  assert.deepEqual(rest, { status: "ok", scope: "rule" });
  assert.deepEqual({ ...sent, until: "set" }, { ...grant, path: "game/**", project: "*", until: "set" });
});

test("another program's question offers no more than once", async () => {
  const id = await ask(samples.change);
  assert.deepEqual(await page.locator(".prompt:not([hidden]) .acts button").evaluateAll((all) => all.map((one) => one.firstChild.textContent.trim())), ["Allow once", "Later", "Deny"]);
  assert.equal(await page.locator(".prompt:not([hidden]) .scope").count(), 0);
  await press("n");
  assert.equal((await answer(id)).status, "canceled");
});

test("the remark that is sent with a proof of presence is the one that is shown", async () => {
  let prove;
  world.mock.state.presence = { proven: new Promise((resolve) => { prove = resolve; }) };
  const id = await ask(samples.change);
  const remark = page.getByRole("textbox", { name: "Tell the agent why" });
  await remark.fill("first");
  await page.getByRole("button", { name: "Allow once" }).click();
  await page.locator(".presence").waitFor();
  await remark.fill("second");
  await page.locator(".presence button.primary").click();
  await eventually(() => remark.isEditable(), false);
  prove();
  assert.equal((await answer(id)).remark, "second");
  delete world.mock.state.presence;
});

test("a change is denied with a remark; Enter in the remark says nothing", async () => {
  const id = await ask(samples.change);
  await page.getByLabel("Tell the agent why").fill("keep the old line: y or n?");
  await press("Enter", "y", "n", "Tab");
  await armed(page);
  assert.equal(world.mock.state.received.some((one) => one.requestId === id), false);
  await page.getByRole("button", { name: "Deny" }).click();
  assert.deepEqual(await answer(id), { status: "canceled", remark: "keep the old line: y or n?yn" });
});

test("a change is denied by the n key", async () => {
  const id = await ask(samples.command);
  await press("n");
  assert.deepEqual(await answer(id), { status: "canceled" });
});

test("an answer in the moment in which a prompt appears is not taken", async () => {
  // The page's clock is stopped, so that the moment lasts until the key was pressed, however busy the machine is.
  const other = await world.open();
  await other.clock.install();
  await other.clock.pauseAt(Date.now() + 60_000);
  const id = world.mock.ask(samples.change);
  await other.locator(`[data-request="${id}"]:not([hidden])`).waitFor();
  await other.keyboard.press("y");
  await other.clock.resume();
  await armed(other);
  assert.equal(world.mock.state.received.some((one) => one.requestId === id), false);
  await other.context().close();
  await armed(page);
  await press("y");
  await answer(id);
});

test("hidden characters are spelled out in diffs and messages", async () => {
  const id = await ask(samples.change);
  assert.equal(await page.locator(`[data-request="${id}"] .escape`).first().textContent(), "\\u{202e}");
  await press("n");
  const other = await ask(samples.command);
  assert.equal(await page.locator(`[data-request="${other}"] .escape`).first().textContent(), "\\u{200b}");
  await press("n");
});

test("unchanged lines unfold", async () => {
  await ask(samples.change);
  await page.getByRole("button", { name: "Show 9 unchanged lines" }).click();
  await page.getByText(";line 20").waitFor();
  await press("n");
});

test("of a diff of a megabyte only what is near is in the document", async () => {
  const lines = Array.from({ length: 20_000 }, (_, at) => `+${"x".repeat(48)}${at}`);
  const id = await ask({ ...samples.change, diff: `@@ -0,0 +1,20000 @@\n${lines.join("\n")}\n` });
  const card = page.locator(`[data-request="${id}"]`);
  assert.ok((await card.locator(".diff-line").count()) < 500);
  await card.locator(".scroller-area").evaluate((area) => area.scrollTo(0, area.scrollHeight));
  await card.getByText("x19999").waitFor();
  await press("n");
});

test("a form is filled by mouse; the secret leaves the page", async () => {
  const id = await ask(samples.form);
  await page.getByLabel("姓名").fill("Alice");
  await page.getByLabel("Token").fill("s3cret-value");
  await page.getByRole("button", { name: "Send" }).click();
  assert.deepEqual(await answer(id), { status: "ok", values: { name: "Alice", about: "two\nlines", token: "s3cret-value" } });
  await page.goto(`${world.mock.url}/#/inbox`);
  await page.locator(".entry.answered").first().waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.innerHTML.includes("s3cret-value")), false);
  const held = await page.evaluate(() => [...document.querySelectorAll("input")].some((input) => input.value.includes("s3cret")));
  assert.equal(held, false);
  await page.goto(`${world.mock.url}/#/history`);
});

test("a form is filled by keyboard; what is missing is named, what the server refuses as well", async () => {
  const id = await ask(samples.form);
  await goToPanel();
  await tabTo(".prompt:not([hidden]) input");
  await page.keyboard.type("refuse-me");
  await press("Control+Enter");
  await page.getByText("Please fill this in.").waitFor();
  await tabTo("input[type=password]");
  await page.keyboard.type("pw");
  await pressUntil("Control+Enter", "The server does not like it.");
  assert.equal(await page.locator("input[type=password]").inputValue(), "", "the secret is gone even though the answer failed");
  await page.getByLabel("姓名").fill("Bob");
  await page.getByLabel("Token").fill("pw");
  world.mock.state.received.length = 0;
  await press("Enter");
  assert.equal((await answer(id)).values.name, "Bob");
});

test("one of several is chosen by mouse", async () => {
  const id = await ask(samples.single);
  await page.getByText("Beta").click();
  await page.getByRole("button", { name: "Choose" }).click();
  assert.deepEqual(await answer(id), { status: "ok", selection: "beta" });
});

test("one of several is chosen by arrows and y", async () => {
  const id = await ask(samples.single);
  await goToPanel();
  await tabTo("input[type=radio]");
  await press("ArrowDown", "ArrowDown", "y");
  assert.deepEqual(await answer(id), { status: "ok", selection: "gamma" });
});

test("several are chosen within their limits by mouse", async () => {
  const id = await ask(samples.several);
  await page.getByText("A", { exact: true }).click();
  await page.getByRole("button", { name: "Choose" }).click();
  await page.getByText("Please choose more.").waitFor();
  await page.getByText("B", { exact: true }).click();
  await page.getByText("C", { exact: true }).click();
  await eventually(() => page.locator(`[data-request="${id}"] input`).first().isDisabled(), true);
  await page.getByRole("button", { name: "Choose" }).click();
  assert.deepEqual(await answer(id), { status: "ok", selection: ["b", "c"] });
});

test("several are chosen by arrows, space and y", async () => {
  const id = await ask(samples.several);
  await goToPanel();
  await tabTo("input[type=checkbox]");
  await press("ArrowDown", "ArrowDown", "Space", "y");
  assert.deepEqual(await answer(id), { status: "ok", selection: ["a", "c"] });
});

test("tasks are dragged, edited, added and removed by mouse", async () => {
  const id = await ask(samples.tasks);
  await page.locator(".panel .widen").click();
  await page.locator('[data-task="t2"] .grip').dragTo(page.locator('[data-task="t1"] .task-head'));
  await page.locator('[data-task="t1"]').getByLabel("Title").fill("写好文档");
  await page.locator('[data-task="t1"]').getByLabel("Priority").selectOption("low");
  await page.locator('[data-task="t1"]').getByLabel("Tags").fill("a, b，c");
  await page.getByRole("button", { name: "Add a task" }).click();
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByText("A task needs a title.").waitFor();
  await focused("[data-task]:last-child .line[aria-invalid=true]");
  await page.keyboard.type("Third");
  await page.getByRole("button", { name: "Remove Third" }).click();
  await page.getByRole("button", { name: "Add a task" }).click();
  await focused("[data-task]:last-child .line");
  await page.keyboard.type("Fourth");
  await page.getByLabel("Tell the agent why").fill("go");
  await page.getByRole("button", { name: "Confirm" }).click();
  const { tasks, remark } = await answer(id);
  assert.deepEqual(tasks.map((task) => task.title), ["Test it", "写好文档", "Fourth"]);
  assert.deepEqual([tasks[1].priority, tasks[1].tags, remark], ["low", ["a", "b", "c"], "go"]);
  // Except the page's secret, which is also stored there.
  await page.evaluate(() => localStorage.removeItem("handrail.preferences"));
});

test("tasks are moved by keyboard and the focus goes with them", async () => {
  const id = await ask(samples.tasks);
  await goToPanel();
  await tabTo('[data-task="t1"] .grip');
  await press("Alt+ArrowDown");
  await page.waitForFunction(() => document.activeElement?.closest("[data-task]")?.getAttribute("data-task") === "t1");
  await press("y");
  assert.deepEqual((await answer(id)).tasks.map((task) => task.draftId), ["t2", "t1"]);
});

test("a result is shown as Markdown without its HTML", async () => {
  const id = await ask(samples.result);
  const card = page.locator(`[data-request="${id}"]`);
  assert.equal(await card.locator("img").count(), 0);
  assert.deepEqual(await card.locator("a").evaluateAll((links) => links.map((link) => link.getAttribute("href"))), ["https://example.org"]);
  assert.equal(await card.locator("strong").textContent(), "written");
  await press("y");
  assert.deepEqual(await answer(id), { status: "ok" });
});

test("a result is confirmed by mouse", async () => {
  const id = await ask(samples.result);
  await page.getByRole("button", { name: "OK" }).click();
  assert.deepEqual(await answer(id), { status: "ok" });
});

test("what must be answered can't be canceled, only left for later", async () => {
  const id = await ask({ ...samples.single, allowCancel: false });
  assert.equal(await page.getByRole("button", { name: "Cancel" }).count(), 0);
  await press("n", "Escape");
  await page.locator(".panel").waitFor({ state: "hidden" });
  assert.equal(world.mock.state.received.some((one) => one.requestId === id), false);
  await press("q");
  await armed(page);
  await press("y");
  await answer(id);
});

test("a kind that nobody knows is shown and breaks nothing", async () => {
  const id = world.mock.ask({ kind: "hologram", title: "Strange" });
  await page.getByText("This console can't show this kind of question.").waitFor();
  world.mock.append({ action: "response", requestId: id, response: { status: "canceled" } });
  await page.getByRole("button", { name: "Continue" }).click();
});
