/** The console on a phone: everything is within reach of a finger. */
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import * as samples from "../dev/samples.mjs";
import { TALK } from "../dev/chatting.mjs";
import { armed, eventually, launch } from "./browser.mjs";

let world;
before(async () => {
  world = await launch();
  samples.sampleRecords(world.mock);
  world.mock.browsers.fill();
  world.mock.chat.fill();
});
after(() => world.close());
afterEach(() => assert.deepEqual(world.complaints, []));

const PHONE = { width: 390, height: 844, hasTouch: true };
const SHOWN = ".prompt:not([hidden])";

/** Which of these a finger at their middle would miss. */
const missed = (page, selector) => page.locator(selector).evaluateAll((all) => all.filter((one) => {
  const { x, y, width, height } = one.getBoundingClientRect();
  return !one.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}).map((one) => one.innerText));

/** What is seen of the menu and the remark below the answers. */
const shownBelow = (page) => page.locator(`${SHOWN} .foot`).evaluate((foot) => {
  const { left, width, bottom } = foot.getBoundingClientRect();
  return document.elementFromPoint(left + width / 2, bottom - 3).closest(".scope, .foot > input")?.className ?? null;
});

for (const width of [390, 1440]) {
  test(`the answers stay in reach while a wider permission is edited: ${width} px`, async () => {
    const page = await world.open({ ...PHONE, width, path: "inbox" });
    const id = world.mock.ask(samples.approval);
    await armed(page);
    if (width < 600) await page.locator(`${SHOWN} .more-ways`).click();
    assert.ok(await page.locator(`${SHOWN} .scroller`).evaluate((one) => one.clientHeight) > 80, "the change stays in view");
    await page.locator(`${SHOWN} .scope-option`).last().click();
    await page.locator(`${SHOWN} .grant-preview`).waitFor();
    assert.deepEqual(await missed(page, `${SHOWN} .acts button`), []);
    assert.equal(await shownBelow(page), null);
    await page.locator(`${SHOWN} .foot > input`).focus();
    assert.deepEqual(await missed(page, `${SHOWN} .acts button, ${SHOWN} .foot > input`), []);
    assert.equal(await shownBelow(page), null);
    world.mock.answer(id, { response: { status: "canceled" } });
    await page.context().close();
  });
}

/** What is too small for a finger, as a name and a size. Links within a sentence are as high as its line. */
const small = (page) => page.evaluate(() => [...document.querySelectorAll("button, a[href], summary, select, textarea, label:has(input)")].flatMap((one) => {
  const { width, height } = one.getBoundingClientRect();
  if (!width || !one.checkVisibility({ visibilityProperty: true }) || one.closest("p a, .unseen, .skip, .more-below")) return [];
  return height < 43.5 || width < 43.5 ? [`${one.className || one.tagName} ${one.innerText} ${Math.round(width)}×${Math.round(height)}`] : [];
}));

test("whatever is pressed is large enough, and no page is wider than the screen", async () => {
  const page = await world.open({ ...PHONE, path: "inbox" });
  const found = [];
  for (const path of ["inbox", "history", "chat", `chat/${TALK}`, "review", "permissions", "browser", "apps", "webgal", "tools", "connect", "settings", "settings/access", "settings/models"]) {
    await page.evaluate((hash) => { location.hash = `/${hash}`; }, path);
    await eventually(() => page.locator("main .nothing", { hasText: "Loading" }).count(), 0);
    await page.locator("main :is(h1, h2):visible").first().waitFor();
    found.push(...(await small(page)).map((one) => `${path}: ${one}`));
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), path);
  }
  for (const [name, prompt] of Object.entries({ approval: samples.approval, several: samples.several, tasks: samples.tasks })) {
    const id = world.mock.ask(prompt);
    await armed(page);
    const more = page.locator(`${SHOWN} .more-ways`);
    if (await more.count()) await more.click();
    found.push(...(await small(page)).map((one) => `${name}: ${one}`));
    world.mock.answer(id, { response: { status: "canceled" } });
    await page.locator(`${SHOWN} .settled button`).click();
  }
  assert.deepEqual(found, []);
  await page.context().close();
});

for (const locale of ["en-US", "zh-CN"]) {
  test(`in a narrow window every page's name is whole, and the project can be chosen: ${locale}`, async () => {
    const own = world.mock.state.projects;
    world.mock.state.projects = [...own, { path: "/home/you/shop", name: "shop" }];
    const page = await world.open({ viewport: { width: 768, height: 900 }, locale, path: "inbox" });
    await page.locator(".rail .project select").selectOption("/home/you/shop");
    const cut = await page.locator(".rail a > span:not(.rail-dot)").evaluateAll((names) => names.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent));
    assert.deepEqual(cut, []);
    await page.context().close();
    world.mock.state.projects = own;
  });
}

test("a task's name has room beside what steers it", async () => {
  const page = await world.open({ ...PHONE, path: `chat/${TALK}` });
  const name = page.locator(".talk-head h1");
  await name.waitFor();
  assert.ok(await name.evaluate((one) => one.scrollWidth <= one.clientWidth), "the name is cut");
  await page.context().close();
});

test("the list of shortcuts names the keys on a touch screen, too", async () => {
  const page = await world.open({ ...PHONE, path: "settings/keyboard" });
  await page.locator(".keys kbd", { hasText: "Y" }).first().waitFor();
  await page.context().close();
});
