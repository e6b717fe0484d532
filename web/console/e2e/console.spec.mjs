/** The console around the prompts: queue, windows, reconnecting, history, tools, settings. */
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import * as samples from "../dev/samples.mjs";
import { answerTo, armed, eventually, launch } from "./browser.mjs";

let world;
before(async () => {
  world = await launch();
  samples.sampleRecords(world.mock);
});
after(() => world.close());
afterEach(() => assert.deepEqual(world.complaints, []));

const shownId = (page) => page.locator(".prompt:not([hidden])").getAttribute("data-request");

test("without a session the console asks for the code, and a wrong one is told", async () => {
  const page = await world.open();
  await page.context().clearCookies();
  await page.reload();
  await page.getByLabel("One-time code").fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("This code is invalid").waitFor();
  await page.getByLabel("One-time code").fill(world.mock.newCode());
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator(".connection.online").waitFor();
  await page.context().close();
});

test("the code leaves the address", async () => {
  const page = await world.open({ path: "" });
  await eventually(() => page.evaluate(() => location.hash), "");
  await page.context().close();
});

test("a new prompt never replaces the shown one, and badge and title count it", async () => {
  const page = await world.open();
  const first = world.mock.ask(samples.single);
  await page.locator(`[data-request="${first}"]`).waitFor();
  const second = world.mock.ask(samples.change);
  await page.getByText("1 of 2").waitFor();
  await eventually(() => shownId(page), first);
  await eventually(() => page.locator(".badge").textContent(), "2");
  await eventually(() => page.title(), "(2) handrail");
  await page.keyboard.press("ArrowRight");
  await eventually(() => shownId(page), second);
  await page.keyboard.press("ArrowLeft");
  await eventually(() => shownId(page), first);
  await armed(page);
  await page.keyboard.press("y");
  await answerTo(world.mock, first);
  await page.locator(`[data-request="${second}"]:not([hidden])`).waitFor();
  await armed(page);
  await page.keyboard.press("n");
  await answerTo(world.mock, second);
  await page.waitForFunction(() => document.title === "handrail");
  await page.context().close();
});

test("a key or a click in a question's first moment answers nothing", async () => {
  const page = await world.open();
  await page.evaluate(() => {
    const press = () => {
      const form = document.querySelector(".prompt:not([hidden]) form");
      if (form?.dataset.armed !== "false") return;
      dispatchEvent(new KeyboardEvent("keydown", { key: "y", bubbles: true }));
      form.querySelector("button.primary").click();
      globalThis.pressed = (globalThis.pressed ?? 0) + 1;
    };
    new MutationObserver(press).observe(document.body, { subtree: true, childList: true, attributes: true });
  });
  const asked = world.mock.ask(samples.change);
  await page.waitForFunction(() => globalThis.pressed > 0);
  await armed(page);
  await eventually(() => shownId(page), asked);
  await page.keyboard.press("n");
  assert.equal((await answerTo(world.mock, asked)).status, "canceled");
  await page.context().close();
});

test("keys and clicks answer nothing just after the window came to the front, nor while they go on", async () => {
  const page = await world.open();
  const asked = world.mock.ask(samples.change);
  await armed(page);
  const isAnswered = await page.evaluate(async () => {
    let now = performance.now() + 10_000;
    performance.now = () => now;
    const form = document.querySelector(".prompt:not([hidden]) form");
    const mouse = (name) => document.documentElement.dispatchEvent(new MouseEvent(name));
    const press = () => dispatchEvent(new KeyboardEvent("keydown", { key: "y", bubbles: true }));
    const click = () => {
      form.dispatchEvent(new PointerEvent("pointerdown", { pointerType: "mouse", bubbles: true }));
      form.querySelector("button.primary").click();
    };
    const isSent = () => form.getAttribute("aria-busy") === "true";
    const seen = [];
    const attempts = async (attempt, apartMs) => {
      for (let at = 0; at < 5; at++, now += apartMs) {
        attempt();
        await new Promise((resolve) => setTimeout(resolve));
        seen.push(isSent());
      }
    };
    dispatchEvent(new Event("focus"));
    await attempts(press, 300);
    now += 1000;
    mouse("mouseleave");
    dispatchEvent(new Event("focus"));
    mouse("mouseenter");
    await attempts(click, 300);
    return seen.includes(true);
  });
  assert.equal(isAnswered, false);
  assert.equal(await shownId(page), asked);
  // A click that brings the window to the front, with the mouse over the question for a while, is meant.
  await page.evaluate(() => {
    const now = performance.now() + 1000;
    performance.now = () => now;
    dispatchEvent(new Event("focus"));
    const form = document.querySelector(".prompt:not([hidden]) form");
    form.dispatchEvent(new PointerEvent("pointerdown", { pointerType: "mouse", bubbles: true }));
    form.querySelector("button.primary").click();
  });
  assert.equal((await answerTo(world.mock, asked)).status, "ok");
  await page.context().close();
});

test("a page whose server was updated reloads itself", async () => {
  const page = await world.open();
  let isUpdated = true;
  await page.route(/\/assets\/Tools-[^/]+\.js$/, (route) => (isUpdated ? route.fulfill({ status: 404 }) : route.continue()));
  await page.route(`${world.mock.url}/`, async (route) => {
    if (route.request().isNavigationRequest()) return route.continue();
    isUpdated = false;
    await route.fulfill({ contentType: "text/html", body: '<script type="module" src="/assets/index-newer.js"></script>' });
  });
  await page.goto(`${world.mock.url}/#/tools`);
  await page.locator(".call-summary").first().waitFor();
  assert.equal(isUpdated, false);
  await page.context().close();
});

test("what was typed survives stepping away and later", async () => {
  const page = await world.open();
  const first = world.mock.ask(samples.form);
  const second = world.mock.ask(samples.single);
  await page.getByLabel("姓名").fill("half a na");
  await page.locator(".panel h2:visible").click();
  await page.getByRole("button", { name: "Next question" }).click();
  await page.keyboard.press("Escape");
  await page.locator(".smile").click();
  await page.getByRole("button", { name: "Previous question" }).click();
  assert.equal(await page.getByLabel("姓名").inputValue(), "half a na");
  for (const id of [first, second]) world.mock.answer(id, { response: { status: "canceled" } });
  await page.context().close();
});

test("two windows: the second keeps the answered prompt in sight until it goes on", async () => {
  const [one, two] = [await world.open(), await world.open({ locale: "zh-CN", colorScheme: "dark" })];
  const first = world.mock.ask(samples.change);
  const second = world.mock.ask(samples.single);
  for (const page of [one, two]) await page.locator(`[data-request="${first}"]:not([hidden])`).waitFor();
  await armed(one);
  await one.keyboard.press("y");
  await answerTo(world.mock, first);
  await two.getByText("已在别处答复").waitFor();
  await eventually(() => shownId(two), first);
  await two.keyboard.press("y");
  assert.equal(world.mock.state.received.filter((answer) => answer.requestId === first).length, 1);
  await two.getByRole("button", { name: "继续" }).click();
  await eventually(() => shownId(two), second);
  await armed(two);
  await two.keyboard.press("y");
  await answerTo(world.mock, second);
  await one.getByText("Answered elsewhere").waitFor();
  await one.context().close();
  await two.context().close();
});

test("a question answered elsewhere disappears, unless someone points at it", async () => {
  const page = await world.open();
  await page.clock.install();
  const first = world.mock.ask(samples.change);
  const second = world.mock.ask(samples.single);
  const card = page.locator(`[data-request="${first}"]:not([hidden])`);
  await card.waitFor();
  world.mock.answer(first, { response: { status: "canceled" } });
  await page.getByText("Answered elsewhere").waitFor();
  await card.hover();
  await page.clock.runFor(15_000);
  assert.equal(await shownId(page), first);
  await page.mouse.move(1, 1);
  await page.clock.runFor(15_000);
  await eventually(() => shownId(page), second);
  world.mock.answer(second, { response: { status: "canceled" } });
  await page.context().close();
});

test("after a server outage the console shows the current state", async () => {
  const page = await world.open();
  const before = world.mock.ask(samples.change);
  await page.locator(`[data-request="${before}"]`).waitFor();
  await world.mock.pause();
  const { width, height } = page.viewportSize();
  for (const narrower of [360, 900, width]) {
    await page.setViewportSize({ width: narrower, height });
    await page.locator(".connection.offline").waitFor();
  }
  await page.getByText("If it stopped, start it with handrail up.").waitFor();
  world.mock.answer(before, { response: { status: "canceled" } });
  const meanwhile = world.mock.ask(samples.single);
  world.mock.record({ executionId: "exec_away", tool: "done_while_away", caller: "mcp:away-agent:uid:1", effect: "READ", event: "end", ok: true, durationMs: 1 });
  await world.mock.resume();
  await page.locator(".connection.online").waitFor();
  await page.locator(".stopped").waitFor({ state: "detached" });
  await page.getByText("Answered elsewhere").waitFor();
  await page.getByText("away-agent session").first().waitFor();
  await page.getByRole("button", { name: "Continue" }).click();
  await eventually(() => shownId(page), meanwhile);
  await armed(page);
  await page.keyboard.press("n");
  await answerTo(world.mock, meanwhile);
  await page.context().close();
});

test("a page that was never opened says why it can't be loaded, and appears once the server is back", async () => {
  const page = await world.open();
  await world.mock.pause();
  await page.locator(".connection.offline").waitFor();
  await page.evaluate(() => { location.hash = "/tools"; });
  await page.locator("main [role=alert]", { hasText: "handrail isn't responding" }).waitFor();
  await world.mock.resume();
  await page.getByRole("heading", { name: "Tools" }).waitFor();
  await page.context().close();
});

test("an answer that cannot be sent is kept, with a message", async () => {
  const page = await world.open();
  const id = world.mock.ask(samples.change);
  await page.locator(`[data-request="${id}"]`).waitFor();
  await world.mock.pause();
  await armed(page);
  await page.keyboard.press("y");
  await page.locator(".panel").getByText("handrail isn't responding.").waitFor();
  await world.mock.resume();
  await page.locator(".connection.online").waitFor();
  await page.keyboard.press("y");
  await answerTo(world.mock, id);
  await page.context().close();
});

test("the history shows who, when and why", async () => {
  const page = await world.open({ path: "inbox" });
  const id = world.mock.ask({ ...samples.change, title: "Unique title" }, { runId: "run-7" });
  await page.locator(`[data-request="${id}"]`).waitFor();
  await armed(page);
  await page.getByLabel("Tell the agent why").fill("not today");
  await page.getByRole("button", { name: "Deny" }).click();
  const entry = page.locator(".entry.answered", { hasText: "Unique title" });
  await entry.getByText("not today").waitFor();
  for (const text of ["denied", "you, in the console", "run-7", "claude-code/write_to_file"]) await entry.getByText(text).first().waitFor();
  await entry.getByRole("button", { name: "Details" }).click();
  await entry.getByText("changeBg:beach.jpg").waitFor();
  await page.context().close();
});

test("a task's steps appear as they happen, with their evidence; one step and the whole task can be undone", async () => {
  const page = await world.open({ path: "history/task:beach" });
  const edited = page.locator(".step", { hasText: "Edited" });
  await edited.locator(".step-open").click();
  await edited.getByText("changeBg:beach.jpg").first().waitFor();
  world.mock.record({ executionId: "exec_live", tool: "read_file", target: "a.txt", task: "beach", effect: "READ", event: "begin" });
  await page.locator(".step", { hasText: "a.txt" }).getByText("running").waitFor();
  world.mock.record({ executionId: "exec_live", tool: "read_file", target: "a.txt", task: "beach", effect: "READ", event: "end", ok: false, error: { condition: "Timeout", message: "too slow" }, durationMs: 30000 });
  await page.locator(".step", { hasText: "Read a.txt" }).getByText("failed").waitFor();
  await edited.getByRole("button", { name: "Undo", exact: true }).click();
  await edited.getByText("Undone").first().waitFor();
  assert.deepEqual(world.mock.state.undone, ["exec_1"]);
  await edited.getByRole("button", { name: "Undo all changes to this file" }).click();
  await eventually(() => world.mock.state.undone.at(-1), { path: "game/scene/beach_date.txt" });
  await page.reload();
  await edited.getByText("Undone").first().waitFor();
  await page.getByRole("button", { name: "Undo all changes" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Undo all changes" }).click();
  await eventually(() => world.mock.state.undone.at(-1), { task: "beach", project: "/home/you/my-webgal-game" });
  await page.context().close();
});

test("a pending question is the last step of its task, and can be opened there", async () => {
  const page = await world.open({ path: "history/task:beach" });
  await page.locator(".story .step").first().waitFor();
  const id = world.mock.ask(samples.approval, { runId: "beach" });
  const waiting = page.locator(".story .waiting-step");
  await waiting.getByText("waiting for you").waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".panel").waitFor({ state: "hidden" });
  await waiting.getByRole("button").click();
  await page.locator(`.panel [data-request="${id}"]`).waitFor();
  world.mock.tellAgain(id, { caller: "gone" });
  await waiting.getByText("no one is waiting for the answer anymore").waitFor();
  world.mock.tellAgain(id, { caller: "unknown" });
  await waiting.getByText("may no longer be waiting").waitFor();
  world.mock.tellAgain(id, { caller: "waiting" });
  await waiting.getByText("waiting for you").waitFor();
  await armed(page);
  await page.keyboard.press("n");
  await waiting.waitFor({ state: "detached" });
  await page.context().close();
});

test("the panel of questions does not follow from the inbox to the next page", async () => {
  const page = await world.open({ path: "inbox", width: 360 });
  const id = world.mock.ask(samples.approval);
  await page.locator(`.panel [data-request="${id}"]`).waitFor();
  await page.getByRole("link", { name: "History" }).click();
  await page.locator(".history-page").waitFor();
  assert.equal(await page.locator(".panel").isVisible(), false);
  world.mock.answer(id, { response: { status: "canceled" } });
  await page.context().close();
});

test("a new question is listed in the inbox while the panel still shows an answered one", async () => {
  const page = await world.open({ path: "inbox" });
  const first = world.mock.ask(samples.approval);
  await page.locator(`.panel [data-request="${first}"]`).waitFor();
  world.mock.answer(first, { response: { status: "canceled" } });
  const second = world.mock.ask({ ...samples.change, title: "The second one" });
  await page.locator(".waiting-row", { hasText: "The second one" }).waitFor();
  world.mock.answer(second, { response: { status: "canceled" } });
  await page.context().close();
});

test("consecutive reads are one sentence", async () => {
  const page = await world.open({ path: "history/task:reads" });
  for (const name of ["a.js", "b.js", "c.js"]) world.mock.record({ executionId: `exec_${name}`, tool: "read_file", target: name, task: "reads", effect: "READ", event: "end", ok: true });
  await page.getByText("Read 3 files").waitFor();
  await page.getByText("a.js · b.js · c.js").waitFor();
  await page.context().close();
});

test("two projects: each question names its own, and the history shows the one that is chosen", async () => {
  const other = "/home/you/shop";
  world.mock.state.projects.push({ path: other, name: "shop", isOwn: false });
  world.mock.record({ executionId: "exec_shop", tool: "write_to_file", target: "README.md", caller: "mcp:codex:uid:1", task: "prices", project: other, effect: "WRITE", event: "end", ok: true });
  const page = await world.open({ path: "inbox" });
  const id = world.mock.ask({ ...samples.approval, card: { ...samples.approval.card, project: other, agent: "codex/1" } });
  await page.locator(`[data-request="${id}"]`).getByText("in shop").first().waitFor();
  await armed(page);
  await page.keyboard.press("n");
  await answerTo(world.mock, id);
  await page.goto(`${world.mock.url}/#/history`);
  await page.getByLabel("project", { exact: true }).selectOption("shop");
  await eventually(() => page.locator(".history-task").count(), 1);
  await page.locator(".step", { hasText: "Edited README.md" }).waitFor();
  world.mock.state.projects.pop();
  await page.context().close();
});

test("⌘K finds a page by its name, ? shows the keys, / goes to the search", async () => {
  const page = await world.open({ path: "history" });
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Type a command" }).fill("perm");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Permissions", exact: true }).waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await page.keyboard.press("Escape");
  await page.goto(`${world.mock.url}/#/history`);
  await page.getByLabel("Search tasks, agents, projects").waitFor();
  await page.keyboard.press("/");
  await eventually(() => page.evaluate(() => document.activeElement.type), "search");
  await page.context().close();
});

test("arrows move through the steps", async () => {
  const page = await world.open({ path: "history/task:beach" });
  await page.locator(".step-open").first().focus();
  await page.keyboard.press("ArrowDown");
  await eventually(() => page.evaluate(() => [...document.querySelectorAll(".step-open")].indexOf(document.activeElement)), 1);
  await page.context().close();
});

test("a tool is tried with a form made from its schema", async () => {
  const page = await world.open({ path: "tools" });
  const tool = page.locator(".call", { hasText: "write_to_file" });
  await tool.locator(".call-summary").click();
  await tool.getByLabel("path").fill("../x");
  await tool.getByRole("button", { name: "Call" }).click();
  await tool.getByText("leads outside").waitFor();
  await tool.getByLabel("path").fill("a.txt");
  await tool.getByRole("button", { name: "Call" }).click();
  await tool.getByText('"path": "a.txt"').waitFor();
  await page.context().close();
});

test("the permissions page shows the rules that are in force in the project", async () => {
  const page = await world.open({ path: "permissions" });
  await page.getByText("game/scene/**").waitFor();
  await page.locator(".rules li", { hasText: "Run and call" }).getByText("never").waitFor();
  await page.context().close();
});

test("settings show doctor, and switch language and theme for good", async () => {
  const page = await world.open({ path: "settings" });
  await page.getByRole("link", { name: "Setup" }).click();
  await page.getByText("make setup installs it").waitFor();
  assert.equal(await page.locator("nav.sections [aria-current]").textContent(), "Setup");
  await page.getByRole("link", { name: "General" }).click();
  await page.getByLabel("Language").selectOption("zh");
  await page.getByRole("heading", { name: "设置" }).waitFor();
  await page.getByLabel("主题").selectOption("dark");
  await page.reload();
  await page.getByRole("heading", { name: "设置" }).waitFor();
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(21, 20, 18)");
  await page.context().close();
});

test("the token is renewed after a word of warning, a browser is sent away, and signing out leaves nothing behind", async () => {
  const page = await world.open({ path: "settings/access" });
  const card = page.locator(".card", { has: page.getByRole("heading", { name: "Access" }) });
  await card.getByText("•••••••• abc1").waitFor();
  await card.getByRole("button", { name: "New token…" }).click();
  await card.getByText("These need the new one: claude-code/2.1, cline.").waitFor();
  await eventually(() => page.evaluate(() => document.activeElement.textContent), "Renew token");
  await page.keyboard.press("Enter");
  await card.getByText("The new token is in /home/you/.local/state/handrail/server.json.").waitFor();
  await card.getByText("•••••••• abc2").waitFor();
  await card.getByRole("button", { name: "Sign out: Safari 19 · iOS" }).click();
  await card.getByText("That browser was signed out.").waitFor();
  assert.equal(await card.locator(".browsers li").count(), 1);
  await card.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.getByLabel("One-time code").waitFor();
  await page.context().close();
});

test("a part that breaks says so, and the rest goes on", async () => {
  const page = await world.open();
  const broken = world.mock.ask({ kind: "kv", title: "Broken", fields: null });
  await page.getByText("This part crashed").waitFor();
  await page.getByRole("button", { name: "Reload page" }).waitFor();
  await page.getByRole("link", { name: "Tools" }).click();
  await page.getByRole("heading", { name: "Tools" }).waitFor();
  const sound = world.mock.ask(samples.single);
  await page.getByRole("button", { name: "Next question" }).click();
  await page.locator(`[data-request="${sound}"]:not([hidden])`).waitFor();
  assert.equal(await page.getByText("This part crashed").isVisible(), false);
  for (const id of [broken, sound]) world.mock.answer(id, { response: { status: "canceled" } });
  await page.context().close();
});

test("a prompt that arrives while the page is not in front is told on the desktop, when that was asked for", async () => {
  const page = await world.open({ path: "settings", permissions: ["notifications"] });
  await page.evaluate(() => {
    window.notices = [];
    window.Notification = class {
      static permission = "granted";
      static requestPermission = () => Promise.resolve("granted");
      constructor(title) {
        window.notices.push(title);
      }
    };
    document.hasFocus = () => false;
  });
  const first = world.mock.ask(samples.single);
  await page.locator(`[data-request="${first}"]`).waitFor();
  await page.keyboard.press("Escape");
  assert.deepEqual(await page.evaluate(() => window.notices), []);
  await page.getByLabel("Desktop notifications").check();
  const second = world.mock.ask(samples.change);
  await page.waitForFunction(() => window.notices.length === 1);
  assert.deepEqual(await page.evaluate(() => window.notices), [samples.change.title]);
  for (const id of [first, second]) world.mock.answer(id, { response: { status: "canceled" } });
  await page.context().close();
});

test("that a caller went away is told on the shown prompt", async () => {
  const page = await world.open();
  const id = world.mock.ask(samples.change);
  await page.locator(`[data-request="${id}"]`).waitFor();
  world.mock.tellAgain(id, { caller: "gone" });
  await page.getByText("The agent stopped waiting.").waitFor();
  world.mock.tellAgain(id, { caller: "waiting" });
  await page.getByText("The agent stopped waiting.").waitFor({ state: "hidden" });
  world.mock.answer(id, { response: { status: "canceled" } });
  await page.context().close();
});

test("every appended prompt is on the screen by itself, and how soon is told", async (t) => {
  const page = await world.open();
  const times = [];
  for (let at = 0; at < 15; at++) {
    await page.evaluate(() => {
      window.shown = new Promise((resolve) => {
        const badge = () => document.querySelector(".badge")?.textContent;
        const before = badge();
        const watch = new MutationObserver(() => badge() !== before && (watch.disconnect(), resolve(Date.now())));
        watch.observe(document.body, { subtree: true, childList: true, characterData: true });
      });
    });
    const started = Date.now();
    world.mock.ask(samples.single, { requestId: `speed-${at}` });
    times.push((await page.evaluate(() => window.shown)) - started);
  }
  for (let at = 0; at < 15; at++) world.mock.answer(`speed-${at}`, { response: { status: "canceled" } });
  t.diagnostic(`append to shown: median ${times.sort((a, b) => a - b)[7]} ms`);
  await page.context().close();
});
