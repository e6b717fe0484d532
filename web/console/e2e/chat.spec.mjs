/** Conversations: streaming, tools with their evidence, approvals in place, reconnects, two windows, 5,000 entries; axe. */
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { LONG, TALK } from "../dev/chatting.mjs";
import * as samples from "../dev/samples.mjs";
import { answerTo, eventually, launch } from "./browser.mjs";
import { findNothing, LOCALES } from "./forms.mjs";

const OTHER = "01J00000000000000000000009";
let world;
let page;
let chat;
before(async () => {
  world = await launch();
  ({ chat } = world.mock);
  world.mock.browsers.fill();
  chat.fill();
  chat.fillLong();
  chat.ensure(OTHER, "Another task");
  chat.run(OTHER, { status: "waiting" });
  page = await world.open({ path: `chat/${OTHER}` });
  await eventually(() => chat.state.subscribed.includes(OTHER), true);
});
after(() => world.close());
afterEach(() => assert.deepEqual(world.complaints, []));

const composer = (where) => where.getByRole("textbox", { name: "Your message" });
const replies = (where) => where.locator(".reply").allInnerTexts().then((all) => all.map((text) => text.trim()));
const opened = async (where, taskId) => {
  await where.goto(`${world.mock.url}/#/chat/${taskId}`);
  await where.locator(`.rail-task-link[aria-current][href="#/chat/${taskId}"]`).waitFor({ state: "attached" });
  await where.locator(".transcript-area").waitFor();
};

/** Until the page has followed its address, messages would still go to the previous task. */
const asked = (where) => where.getByRole("heading", { name: "What should I work on?" }).waitFor();

test("with a model connected, the chat is the first page", async () => {
  const own = await world.open({ path: "" });
  await asked(own);
  await own.context().close();
});

test("Enter sends a message, and the answer is streamed with growing Markdown", async () => {
  await composer(page).fill("Two lines");
  await composer(page).press("Shift+Enter");
  await composer(page).pressSequentially("of words");
  await composer(page).press("Enter");
  await eventually(() => chat.state.said.at(-1)?.content, "Two lines\nof words");
  await eventually(() => composer(page).inputValue(), "");
  await page.locator(".words", { hasText: "of words" }).waitFor();
  await page.locator(".run-state.running").waitFor();
  const target = chat.state.said.at(-1).id;
  chat.stream(OTHER, "m-1", ["Here is a **ta", "ble**:\n\n| a | b |\n|---|", "---|\n| 1 | 2 |\n\n", "```\nco"], target);
  await page.locator(".reply.growing table td", { hasText: "2" }).waitFor();
  await page.locator(".reply.growing pre", { hasText: "co" }).waitFor();
  chat.finish(OTHER, "m-1", "Here is a **table**:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n```", target);
  await page.locator(".reply:not(.growing) pre", { hasText: "code" }).waitFor();
  assert.equal(await page.locator(".reply strong").innerText(), "table");
});

test("a run is paused, resumed and stopped, and its mode is switched", async () => {
  await page.getByRole("button", { name: "Pause" }).click();
  await page.locator(".run-state.paused").waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.locator(".run-state.running").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.locator(".run-state.ended").waitFor();
  assert.deepEqual(chat.state.steered, ["pause", "resume", "stop"]);
  await page.getByRole("button", { name: "Resume" }).click();
  await page.locator(".run-state.running").waitFor();
  chat.run(OTHER, { status: "waiting" });
  await page.locator(".run-state.waiting").waitFor();
  await page.getByRole("button", { name: "Plan", exact: true }).click();
  await eventually(() => chat.state.runs.get(OTHER).mode, "plan");
  await eventually(() => page.getByRole("button", { name: "Plan", exact: true }).getAttribute("aria-pressed"), "true");
});

test("a call of a tool is folded, and shows arguments, result and evidence when opened", async () => {
  const id = chat.tool(OTHER, "browser_click", "running", { args: { clickId: "3", text: "Start" }, effect: "UI_CONTROL" });
  const row = page.locator(`[data-entry="${id}"]`);
  await row.getByText("running").waitFor();
  assert.equal(await row.locator(".tool-words").innerText(), "Click “Start”");
  world.mock.record({ executionId: id, tool: "browser_click", effect: "UI_CONTROL", caller: "agent", task: OTHER, event: "end", ok: true, durationMs: 5, evidence: { dir: "e", sha256: { "before.png": "x" } } });
  chat.tool(OTHER, "browser_click", "success", { executionId: id, args: { clickId: "3" }, text: "scene started" });
  await row.getByText("done").waitFor();
  assert.match(await row.locator(".tool-words").innerText(), /^Clicked\b/);
  await row.locator(".call-summary").click();
  await row.locator("pre", { hasText: "scene started" }).waitFor();
  await row.getByText("Arguments").click();
  await row.locator("pre", { hasText: '"clickId": "3"' }).waitFor();
  await row.locator(`img[alt="before.png"]`).waitFor({ state: "attached" });
});

test("a question of the task is answered in place, and only there", async () => {
  const id = world.mock.ask(samples.change, { runId: OTHER });
  const card = page.locator(`.in-place [data-request="${id}"]`);
  await card.locator("form[data-armed=true]").waitFor();
  assert.equal(await page.locator(".panel").isVisible(), false);
  await card.getByRole("textbox", { name: "Tell the agent why" }).fill("fine");
  await card.getByRole("button", { name: "Allow once" }).click();
  assert.deepEqual(await answerTo(world.mock, id), { status: "ok", scope: "once", remark: "fine" });
  await card.waitFor({ state: "detached" });

  const other = world.mock.ask(samples.command, { runId: OTHER });
  const next = page.locator(`.in-place [data-request="${other}"]`);
  await next.locator("form[data-armed=true]").waitFor();
  await next.getByRole("button", { name: "Deny" }).focus();
  await page.keyboard.press("n");
  assert.deepEqual(await answerTo(world.mock, other), { status: "canceled" });
  assert.equal(world.mock.state.received.filter(({ requestId }) => requestId === other).length, 1);
});

test("a script is called a scripted model, and its path is only a title", async () => {
  chat.connectModel("script:/tmp/tour/tour.json");
  const own = await world.open({ path: `chat/${OTHER}` });
  const choice = own.getByRole("combobox", { name: "Model", exact: true });
  await choice.locator("option", { hasText: "Default: Scripted model" }).waitFor({ state: "attached" });
  assert.equal(await choice.locator("option").first().getAttribute("title"), "script:/tmp/tour/tour.json");
  assert.ok(!(await own.locator("body").innerText()).includes("tour.json"));
  await own.close();
  chat.connectModel();
});

test("a confirmed plan is a checklist that fills as the agent continues", async () => {
  const id = world.mock.ask({ ...samples.tasks, title: "Plan", tasks: [{ draftId: "1", title: "Read it" }, { draftId: "2", title: "Write it" }] }, { runId: OTHER });
  const card = page.locator(`.in-place [data-request="${id}"]`);
  await card.locator("form[data-armed=true]").waitFor();
  await card.getByRole("button", { name: "Confirm" }).click();
  await answerTo(world.mock, id);
  await eventually(() => page.locator(".plan li.todo").count(), 2);
  chat.finish(OTHER, "m-plan", "- [x] Read it\n- [ ] Write it");
  await eventually(() => page.locator(".plan li.done").allInnerTexts().then((all) => all.length), 1);
  chat.tool(OTHER, "check_off", "success", { args: { steps: [2] }, text: "2. Write it" });
  await eventually(() => page.locator(".plan li.done").count(), 2);
  await page.locator(".talk-note", { hasText: "✓ 2. Write it" }).waitFor();
});

test("what the model thinks is closed until it is opened, and how much it thinks can be set", async () => {
  chat.think(OTHER, "m-think", ["Let me ", "see."]);
  const thoughts = page.locator(".reply[data-entry=m-think] details.thoughts");
  await thoughts.getByText("Thinking…").waitFor();
  assert.equal(await thoughts.getByText("Let me see.").isVisible(), false);
  chat.finish(OTHER, "m-think", "It works.");
  await thoughts.locator("summary", { hasText: /^Thinking$/ }).click();
  await thoughts.getByText("Let me see.").waitFor();
  await thoughts.locator("summary").click();
  await page.getByRole("combobox", { name: "Thinking effort" }).selectOption("high");
  await eventually(() => chat.state.effort, "high");
  await eventually(() => page.getByRole("combobox", { name: "Thinking effort" }).inputValue(), "high");
});

test("a pasted picture is sent with the message", async () => {
  await composer(page).fill("Look at this");
  await composer(page).evaluate((field) => {
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([new Uint8Array([1, 2, 3])], "pasted.png", { type: "image/png" }));
    field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  });
  await page.locator(".attachments .chip", { hasText: "pasted.png" }).waitFor();
  await eventually(() => page.getByRole("button", { name: "Send" }).isEnabled(), true);
  await composer(page).press("Enter");
  await eventually(() => chat.state.said.at(-1)?.content, "Look at this");
  assert.equal(chat.state.said.at(-1).attachments.length, 1);
  chat.run(OTHER, { status: "waiting" });
});

test("two windows on one task show the same, whichever sends a message", async () => {
  const second = await world.open({ path: `chat/${OTHER}` });
  await second.locator(".reply", { hasText: "Here is a" }).waitFor();
  await composer(page).fill("From the first window");
  await composer(page).press("Enter");
  await eventually(() => chat.state.said.at(-1)?.content, "From the first window");
  const target = chat.state.said.at(-1).id;
  chat.stream(OTHER, "m-2", ["Both ", "hear this."], target);
  chat.finish(OTHER, "m-2", "Both hear this.", target);
  for (const where of [page, second]) {
    await where.locator(".words", { hasText: "From the first window" }).waitFor();
    await where.locator(".reply:not(.growing)", { hasText: "Both hear this." }).waitFor();
  }
  await eventually(() => replies(second), await replies(page));
  await second.context().close();
});

test("a reconnect neither loses nor duplicates anything", async () => {
  chat.run(OTHER, { status: "running" });
  chat.stream(OTHER, "m-3", ["Before the cut, "]);
  await page.locator(".reply.growing", { hasText: "Before the cut" }).waitFor();
  await world.mock.pause();
  await page.locator(".connection.offline").waitFor();
  chat.state.mute = true;
  chat.finish(OTHER, "m-3", "Before the cut, and after it.");
  chat.tool(OTHER, "read_file", "success", { executionId: "exec_missed", text: "missed" });
  chat.finish(OTHER, "m-4", "The end.");
  chat.run(OTHER, { status: "waiting" });
  chat.state.mute = false;
  await world.mock.resume();
  await page.locator(".reply", { hasText: "The end." }).waitFor();
  await page.locator(".run-state.waiting").waitFor();
  await eventually(async () => (await replies(page)).slice(-2), ["Before the cut, and after it.", "The end."]);
  assert.equal(await page.locator('[data-entry="exec_missed"]').count(), 1);
  assert.equal(await page.locator(".words", { hasText: "From the first window" }).count(), 1);
});

test("a refused message says why and can be sent again", async () => {
  await composer(page).fill("refuse this");
  await composer(page).press("Enter");
  await page.locator(".words.refused").getByRole("button", { name: "Send again" }).waitFor();
  await page.locator(".trouble", { hasText: "at work on this task" }).waitFor();
});

test("an uploaded file is sent with the message", async () => {
  await opened(page, OTHER);
  await page.locator("input[type=file]").setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("some notes") });
  await page.locator(".attachments .chip", { hasText: "notes.txt" }).waitFor();
  await composer(page).fill("Read the notes");
  await composer(page).press("Enter");
  await eventually(() => chat.state.said.at(-1)?.content, "Read the notes");
  const [artifactId] = chat.state.said.at(-1).attachments;
  assert.equal(chat.state.uploads.get(`/artifacts/${artifactId}/upload`), "some notes");
  await page.locator(".words .attached-file", { hasText: "notes.txt" }).waitFor();
  chat.run(OTHER, { status: "waiting" });
  await page.reload();
  await page.locator(`.words .attached-file[href="/api/artifacts/${artifactId}"]`, { hasText: "notes.txt" }).waitFor();
});

test("a task starts with a message, and can be renamed, found and archived", async () => {
  await page.locator(".new-task").click();
  await asked(page);
  await composer(page).fill("A brand new task");
  await composer(page).press("Enter");
  await page.locator(".words", { hasText: "A brand new task" }).waitFor();
  await page.getByRole("button", { name: /^Rename/ }).click();
  await page.getByRole("textbox", { name: "New name" }).fill("Renamed now");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Renamed now" }).waitFor();
  await page.getByRole("searchbox", { name: "Search tasks…" }).fill("renamed");
  await eventually(() => page.locator(".rail-task-title").allInnerTexts(), ["Renamed now"]);
  await page.getByRole("button", { name: "Archive: Renamed now" }).click();
  await eventually(() => page.locator(".rail-task-title").count(), 0);
  await page.getByRole("checkbox", { name: "Archived (1)" }).check();
  await eventually(() => page.locator(".rail-task-title").allInnerTexts(), ["Renamed now"]);
  await page.getByRole("checkbox").uncheck();
  await page.getByRole("searchbox", { name: "Search tasks…" }).fill("");
});

test("an agent's report is shown in place and needs no answer", async () => {
  await opened(page, OTHER);
  const report = "Both are **mended**.";
  const id = world.mock.ask({ kind: "result", title: "Done", source: "handrail/attempt_completion", markdown: report }, { runId: OTHER, caller: "gone" });
  chat.tool(OTHER, "attempt_completion", "success", { executionId: "exec_done", args: { result: report }, text: '{"ack":true}', effect: "ASK" });
  await page.locator(".completion strong", { hasText: "mended" }).waitFor();
  assert.equal(await page.locator(".in-place").count(), 0);
  await page.locator(".run-state.waiting", { hasText: "your turn" }).waitFor();
  await composer(page).fill("Thank you");
  await composer(page).press("Enter");
  assert.deepEqual(await answerTo(world.mock, id), { status: "ok" });
  chat.finish(OTHER, "m-after", "You are welcome.");
  await page.locator(".reply", { hasText: "You are welcome." }).waitFor();
  assert.equal(await page.locator(".completion").count(), 1);
  chat.run(OTHER, { status: "waiting" });
});

test("what was asked and answered is read again after a reload", async () => {
  chat.tool(OTHER, "ask_followup_question", "success", { executionId: "exec_ask", args: { question: "Which tea?" }, text: '{"answer":"Jasmine","ack":true}', effect: "ASK" });
  await page.reload();
  await page.locator(".reply", { hasText: "Which tea?" }).waitFor();
  await page.locator(".words", { hasText: "Jasmine" }).waitFor();
});

test("a message waits while an approval is pending, and is not lost", async () => {
  chat.run(OTHER, { status: "running" });
  const id = world.mock.ask(samples.change, { runId: OTHER });
  await page.locator(`.in-place [data-request="${id}"] form[data-armed=true]`).waitFor();
  const said = chat.state.said.length;
  await composer(page).fill("name it otherwise");
  await composer(page).press("Enter");
  assert.equal(await page.getByRole("button", { name: "Send" }).isDisabled(), true);
  assert.equal(chat.state.said.length, said);
  await page.reload();
  await eventually(() => composer(page).inputValue(), "name it otherwise");
  world.mock.answer(id, { response: { status: "canceled" } });
  await page.locator(".in-place .settled").waitFor();
  await page.locator(".run-state.running").waitFor();
  await page.locator(".thinking").waitFor();
  await page.locator(".in-place").getByRole("button", { name: "Continue" }).click();
  chat.run(OTHER, { status: "waiting" });
  await composer(page).fill("");
});

test("a question in the panel stays there while another is answered in its conversation", async () => {
  const [first, second] = [world.mock.ask(samples.single), world.mock.ask(samples.several)];
  const own = world.mock.ask(samples.change, { runId: OTHER });
  await page.locator(`.panel [data-request="${first}"] form[data-armed=true]`).waitFor();
  await page.locator(`.in-place [data-request="${own}"] form[data-armed=true]`).waitFor();
  await page.locator(`.in-place [data-request="${own}"]`).getByRole("button", { name: "Deny" }).focus();
  await page.keyboard.press("Enter");
  await answerTo(world.mock, own);
  await page.locator(`.in-place [data-request="${own}"]`).waitFor({ state: "detached" });
  assert.equal(await page.locator(`.panel [data-request="${first}"]`).isVisible(), true);
  for (const id of [first, second]) world.mock.answer(id, { response: { status: "canceled" } });
  await page.locator(".panel").getByRole("button", { name: "Continue" }).click();
  await page.locator(".panel").waitFor({ state: "hidden" });
});

test("why a run stopped is shown after a reload as well; with a raised limit it continues", async () => {
  chat.run(OTHER, { status: "waiting", trouble: "The limit of 100 replies is reached.", reached: "mostSteps", canResume: true });
  await opened(page, OTHER);
  await page.reload();
  const card = page.locator(".trouble", { hasText: "100 replies is reached" });
  await card.getByRole("button", { name: "Resume with up to 200 replies" }).click();
  await page.locator(".run-state.running").waitFor();
  assert.equal(chat.state.runs.get(OTHER).mostSteps, 200);
  chat.run(OTHER, { status: "waiting", trouble: undefined, reached: undefined });
  await card.waitFor({ state: "detached" });
  await page.locator(".limits summary").click();
  await page.getByLabel(/^Cost in US/).fill("2,5");
  await page.keyboard.press("Enter");
  await eventually(() => chat.state.runs.get(OTHER).mostCost, 2.5);
  await page.getByLabel("Replies per message").fill("none");
  await page.keyboard.press("Enter");
  await page.getByText("Enter a whole number from 1 to 10,000, or leave it empty.").waitFor();
});

test("while offline, another task isn't shown with this one's messages", async () => {
  await page.getByRole("searchbox", { name: "Search tasks…" }).fill("");
  await page.locator(".words", { hasText: "Thank you" }).waitFor();
  await world.mock.pause();
  await page.locator(".connection.offline").waitFor();
  await page.locator(`.rail-task-link[href="#/chat/${TALK}"]`).click();
  await page.locator(".words", { hasText: "Thank you" }).waitFor({ state: "detached" });
  await composer(page).fill("while away");
  await composer(page).press("Enter");
  await page.locator(`.rail-task-link[href="#/chat/${OTHER}"]`).click();
  await world.mock.resume();
  await page.locator(".words", { hasText: "Thank you" }).waitFor();
  await opened(page, TALK);
  await eventually(() => composer(page).inputValue(), "while away");
  await composer(page).fill("");
  await page.locator(".connection.offline").waitFor({ state: "detached" });
});

test("pressing Enter twice starts one task", async () => {
  await page.goto(`${world.mock.url}/#/chat`);
  await asked(page);
  const before = chat.state.said.length;
  let letGo;
  const held = new Promise((resolve) => { letGo = resolve; });
  await page.route("**/api/task/id", async (route) => { await held; await route.continue(); });
  await composer(page).fill("double");
  await composer(page).press("Enter");
  await composer(page).press("Enter");
  await composer(page).pressSequentially("typed meanwhile");
  await composer(page).press("Enter");
  letGo();
  await page.locator(".words", { hasText: "double" }).waitFor();
  await page.unroute("**/api/task/id");
  await eventually(() => chat.state.said.length, before + 1);
  await page.goto(`${world.mock.url}/#/chat`);
  await eventually(() => composer(page).inputValue(), "typed meanwhile");
  await composer(page).fill("");
});

test("a task is found by its messages; the rest of a long list is loaded while scrolling", async () => {
  for (let at = 0; at < 250; at++) world.mock.browsers.state.tasks.push({ taskId: `01J0000000000000000001${String(at).padStart(4, "0")}`, title: `Old task ${at}`, status: "completed", createdAt: 1000 - at, updatedAt: 1000 - at });
  chat.add("01J00000000000000000010249", { kind: "user", id: "u-old", text: "Where is the lighthouse keeper?" });
  await opened(page, OTHER);
  await page.reload();
  const search = page.getByRole("searchbox", { name: "Search tasks…" });
  await search.click();
  await search.fill("KEEPER lighthouse");
  await eventually(() => page.locator(".rail-task-title").allInnerTexts(), ["Old task 249"]);
  await search.fill("");
  // Only the match is shown until the list is back; its neighbour appears once the rest is loaded.
  const atEnd = (list) => {
    list.scrollTop = list.scrollHeight;
    return ["Old task 248", "Old task 249"].every((title) => list.innerText.includes(title));
  };
  await eventually(() => page.locator(".rail-tasks").evaluate(atEnd), true);
  assert.ok((await page.locator(".rail-task").count()) < 200);
  world.mock.browsers.state.tasks.splice(0, world.mock.browsers.state.tasks.length, ...world.mock.browsers.state.tasks.filter(({ title }) => !title.startsWith("Old task")));
  await page.reload();
});

test("an unknown task says so", async () => {
  const own = await world.open({ path: "chat/01J00000000000000000099999" });
  await own.getByText("This task doesn't exist").waitFor();
  await own.context().close();
});

test("of 5,000 entries only those near the view are in the document; earlier ones are read on the way up", async () => {
  await opened(page, LONG);
  await page.locator('[data-entry="a4999"]').waitFor();
  const area = page.locator(".transcript-area");
  const fromEnd = () => area.evaluate((element) => Math.round(element.scrollHeight - element.scrollTop - element.clientHeight));
  await eventually(async () => (await fromEnd()) < 2, true);
  await area.evaluate(async (element) => {
    // Loaded entries are drawn above the view and removed again until they are scrolled to.
    const isThere = () => !document.querySelector(".load-more") && document.querySelector('[data-entry="u0"]')?.getBoundingClientRect().top > 0;
    for (let tries = 0; tries < 2000 && !isThere(); tries++) {
      element.scrollTop = 0;
      await new Promise(requestAnimationFrame);
    }
  });
  await page.locator('[data-entry="u0"]').waitFor();
  const drawn = await page.locator("[data-entry]").count();
  assert.ok(drawn > 0 && drawn < 700, `${drawn} entries in the document`);
  chat.finish(LONG, "m-late", "Something new");
  await page.getByRole("button", { name: "New messages" }).click();
  await page.locator(".reply", { hasText: "Something new" }).waitFor();
  await eventually(async () => (await fromEnd()) < 2, true);
});

test("a stream keeps the view at its end, unless the person has scrolled up", async () => {
  await opened(page, LONG);
  await page.locator('[data-entry="a4999"]').waitFor();
  const area = page.locator(".transcript-area");
  const fromEnd = () => area.evaluate((element) => Math.round(element.scrollHeight - element.scrollTop - element.clientHeight));
  chat.run(LONG, { status: "running" });
  chat.stream(LONG, "m-flow", Array.from({ length: 60 }, (_, at) => `Paragraph ${at}\n\n`));
  await page.locator(".reply.growing", { hasText: "Paragraph 59" }).waitFor();
  await eventually(async () => (await fromEnd()) < 2, true);
  await area.evaluate((element) => element.scrollTo(0, element.scrollHeight - 3000));
  await page.locator(".to-end").waitFor();
  const before = await area.evaluate((element) => element.scrollTop);
  chat.stream(LONG, "m-flow", ["One more\n\n"]);
  chat.finish(LONG, "m-flow-2", "Done");
  await page.locator(".reply", { hasText: "Done" }).last().waitFor({ state: "attached" });
  assert.equal(await area.evaluate((element) => element.scrollTop), before);
  chat.run(LONG, { status: "waiting" });
});

test("a task is replayed step by step, by keys, without an empty frame", async () => {
  await opened(page, TALK);
  await page.getByRole("button", { name: "Replay" }).click();
  const replay = page.locator(".replay");
  await replay.getByText("Step 1 of 2").waitFor();
  assert.notEqual((await replay.locator(".frame").innerText()).trim(), "");
  // The focus is still on the button that opened it.
  await page.keyboard.press("ArrowRight");
  await replay.getByText("Step 2 of 2").waitFor();
  await replay.locator(".frame h2", { hasText: "Clicked" }).waitFor();
  assert.match(await page.getByRole("link", { name: "Download report" }).getAttribute("href"), /^\/api\/report\/01J/);
});

test("a question in a conversation is whole on the screen, from its headline to its answers", async () => {
  const own = await world.open({ width: 1440, height: 900, path: `chat/${OTHER}` });
  const id = world.mock.ask(samples.approval, { runId: OTHER });
  const card = own.locator(`.in-place [data-request="${id}"]`);
  await card.locator("form[data-armed=true]").waitFor();
  await own.locator(".to-end").waitFor({ state: "detached" });
  const within = await own.locator(".transcript-area").boundingBox();
  for (const part of [card.locator("h2"), card.locator(".diff-line.add").first(), card.getByRole("radio", { name: /during this task/ }).first(), card.getByRole("button", { name: "Allow once" }), card.getByRole("button", { name: "Deny" }), card.locator(".card-details")]) {
    const box = await part.boundingBox();
    assert.ok(box.y >= within.y && box.y + box.height <= within.y + within.height, await part.innerText());
  }
  assert.ok(await card.locator(".foot").evaluate((foot) => foot.scrollHeight - foot.clientHeight < 3), "nothing of the answers is cut off");
  await card.locator(".scope-option").last().click();
  await card.locator(".grant-preview").waitFor();
  for (const button of await card.locator(".acts button").all()) {
    const box = await button.boundingBox();
    assert.ok(box.y + box.height <= within.y + within.height, "the answers stay in reach while a wider permission is edited");
  }
  assert.equal(await own.locator(".smile").isVisible(), false, "what is on the screen needs no second sign");
  const elsewhere = world.mock.ask(samples.single);
  await own.locator(".panel").waitFor();
  await own.getByRole("button", { name: "Close", exact: true }).click();
  await own.locator(".smile").waitFor();
  for (const one of [id, elsewhere]) world.mock.answer(one, { response: { status: "canceled" } });
  await own.context().close();
});

for (const locale of LOCALES) {
  test(`axe finds nothing in conversations: ${locale}`, async () => {
    const own = await world.open({ locale, width: 1440, height: 900, path: `chat/${TALK}` });
    const id = world.mock.ask(samples.change, { runId: TALK });
    await own.locator(`.in-place [data-request="${id}"]`).waitFor();
    await own.locator(".transcript-area").evaluate((element) => element.scrollTo(0, 0));
    await own.locator('[data-entry="exec_click"] .call-summary').click();
    await own.locator('[data-entry="exec_click"] .call-shown').waitFor();
    await findNothing(own, "a conversation");
    world.mock.answer(id, { response: { status: "canceled" } });
    await own.locator(".in-place .settled, .transcript:not(:has(.in-place))").first().waitFor();
    await own.locator(".talk-tools button").nth(-2).click();
    await own.locator(".frame").waitFor();
    await findNothing(own, "a replay");
    await own.goto(`${world.mock.url}/#/chat`);
    await own.locator(".first-step").first().waitFor();
    await own.locator(".first-step:not(.checking)").nth(3).waitFor();
    await findNothing(own, "the first page");
    await own.context().close();
  });
}
