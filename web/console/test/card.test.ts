import type { Card, Grant } from "@handrail/host";
import { describe, expect, it } from "vitest";
import { coverage, grantTitle, isPattern } from "../src/features/people/logic/card";
import { shownParams } from "../src/features/people/logic/params";
import { cardEn } from "../src/features/people/texts/card.en";
import { cardZh } from "../src/features/people/texts/card.zh";
import { isShort, shortName, withoutKeys, objectOf } from "../src/logic/acts";
import { actsEn } from "../src/texts/acts.en";
import { actsZh } from "../src/texts/acts.zh";

const fact = (name: string, value: string) => ({ name, value });
const card = (tool: string, ...params: { name: string; value: string }[]) => ({ tool, params }) as unknown as Card;
const onPath = (tool: string): Grant => ({ tools: [tool], path: "notes.md" });

describe("what a permission covers", () => {
  it("says whether a file is read, uploaded or edited", () => {
    expect(coverage(onPath("native_read"), cardEn)).toBe("read notes.md");
    expect(coverage(onPath("browser_upload"), cardEn)).toBe("upload notes.md");
    expect(coverage(onPath("edit_file"), cardEn)).toBe("edit notes.md");
    expect(coverage({ tools: ["read_file", "edit_file"], path: "notes.md" }, cardEn)).toBe("read and edit notes.md");
    expect(coverage(onPath("delete_path"), cardEn)).toBe("delete notes.md");
  });

  it("has a title that says what is done, but for edits and reads", () => {
    expect(grantTitle({ tools: ["delete_path"], path: "**/*.md" }, cardEn)).toBe("Delete all .md files");
    expect(grantTitle({ tools: ["edit_file"], path: "**/*.md" }, cardEn)).toBe("All .md files");
    expect(grantTitle(onPath("edit_file"), cardEn)).toBe("notes.md");
    expect(grantTitle(onPath("move_path"), cardEn)).toBe("Move notes.md");
    expect(grantTitle({ tools: ["native_shell"], command: "a; ".repeat(30) }, cardEn)).toBe("This command");
  });

  it("is in words for tools that name nothing else, and for what is typed", () => {
    expect(coverage({ tools: ["desktop_clipboard"] }, cardEn)).toBe("read and replace what is on your clipboard");
    expect(coverage({ tools: ["agent_permission"] }, cardEn)).toBe("use every tool of its own inside its cage");
    expect(coverage({ tools: ["native_shell"], command: 'yes ({"input":true})' }, cardEn)).toBe("send “yes” to a running program");
    expect(coverage({ tools: ["native_shell"], command: "make" }, cardEn)).toBe("run make");
    for (const tool of ["desktop_clipboard", "agent_permission"]) expect(coverage({ tools: [tool] }, cardZh)).not.toContain(tool);
  });

  it("says what is done at an address", () => {
    const at = (...tools: string[]): Grant => ({ tools, place: "https://example.org" });
    expect(coverage(at("native_fetch"), cardEn)).toBe("fetch from https://example.org");
    expect(coverage(at("net_connect"), cardEn)).toBe("connect to https://example.org");
    expect(coverage(at("browser_click", "browser_type"), cardEn)).toBe("click and type on https://example.org");
    expect(coverage(at("browser_click"), cardZh)).toBe("在 https://example.org 上点击");
    expect(coverage(at("net_publish"), cardEn)).toBe("open https://example.org to your browser");
    expect(coverage({ tools: ["desktop_launch"], app: "gedit" }, cardEn)).toBe("launch gedit");
    expect(coverage({ tools: ["apps_call"], app: "com.example.mail/send@1" }, cardEn)).toBe("call com.example.mail/send");
  });

  it("is a sentence in Chinese", () => {
    expect(cardZh.may("Codex", coverage(onPath("native_read"), cardZh), cardZh.within("shop"))).toBe("Codex 可以读取 notes.md（项目 shop）。");
  });
});

describe("the parameters on a card", () => {
  const shown = (...given: Parameters<typeof card>) => shownParams(card(...given), cardEn);

  it("are what an app or a server is given, in its own names", () => {
    expect(shown("apps_call", fact("app", "com.example"), fact("tool", "send"), fact("params.text", "hi"))).toEqual([fact("text", "hi")]);
    expect(shown("github.say", fact("arguments.text", "hi"))).toEqual([fact("text", "hi")]);
    expect(shown("native_mcp", fact("arguments.server", "github"), fact("arguments.tool", "say"), fact("arguments.arguments", '{"text":"hi","to":["a"]}'))).toEqual([fact("text", "hi"), fact("to", '["a"]')]);
    expect(shown("native_mcp", fact("arguments.arguments", "not JSON"))).toEqual([fact("arguments", "not JSON")]);
  });

  it("are left out where the headline and the facts say everything", () => {
    expect(shown("native_read", fact("path", "/etc/hosts"), fact("isSearch", "false"))).toEqual([]);
    expect(shown("desktop_clipboard", fact("action", "write"), fact("text", "hi"))).toEqual([fact("Text", "hi")]);
    expect(shown("desktop_hotkey", fact("keys", '["ctrl","s"]'), fact("options", '{"delayMs":50}'))).toEqual([]);
    expect(shown("native_other", fact("tool", "Task"), fact("input", '{"prompt":"go"}'), fact("isHarmless", "false"))).toEqual([fact("prompt", "go")]);
  });

  it("are words of people, without what only steers the call", () => {
    expect(shown("browser_click", fact("timeoutMs", "30000"), fact("clickId", "19"))).toEqual([]);
    expect(shown("desktop_click", fact("target", '{"elementRef":{"elementId":"e:3"}}'), fact("options", '{"button":"right","count":1}'))).toEqual([fact("Mouse button", "right")]);
    expect(shown("browser_click", fact("clicks", "2"), fact("modifiers", '["Shift","Alt"]'))).toEqual([fact("Clicks", "2"), fact("Held keys", "Shift, Alt")]);
    expect(shown("browser_type", fact("text", "hi"), fact("submit", "true"), fact("append", "false"))).toEqual([fact("Text", "hi"), fact("Submits the form", "true")]);
    expect(shown("browser_fill", fact("fields", '[{"clickId":"1","value":"Ada"},{"clickId":"2","value":"x"}]'))).toEqual([fact("Fields", "1: Ada\n2: x")]);
    expect(shown("task_start", fact("url", "https://example.org/"), fact("somethingNew", "1"))).toEqual([fact("Address", "https://example.org/"), fact("somethingNew", "1")]);
  });
});

describe("a headline", () => {
  it("names an element without a name by its kind, without quotes", () => {
    expect(actsEn.asks.click({ object: "", within: "http://shop.test/" })).toBe("Click an element on shop.test?");
    expect(actsEn.asks.set({ object: "", kind: "textfield", within: "Notes" })).toBe("Set a text field on Notes?");
    expect(actsZh.asks.click({ object: "", within: "http://shop.test/" })).toBe("点击 shop.test 上的元素？");
    expect(actsZh.asks.press({ object: "" })).toBe("按键？");
  });

  it("names a short command, the keys and the menu item", () => {
    expect(actsEn.asks.run({ object: "npm test" })).toBe("Run npm test?");
    expect(actsEn.asks.run({ object: "a; ".repeat(30) })).toBe("Run a command?");
    expect(actsEn.asks.run({ object: "ls\nrm -r ." })).toBe("Run a command?");
    expect(actsEn.asks.press({ object: "", within: "Notes", params: { keys: '["ctrl","s"]' } })).toBe("Press Ctrl+S in Notes?");
    expect(actsEn.asks.press({ object: "", within: "http://shop.test/", params: { key: "Enter" } })).toBe("Press Enter in shop.test?");
    expect(actsEn.asks.menu({ object: "Notes", params: { path: '["File","Quit"]' } })).toBe("Choose “File” › “Quit” in Notes?");
    expect(actsZh.asks.run({ object: "npm test" })).toBe("运行 npm test？");
  });

  it("shortens what in an address isn't a name, never the host", () => {
    const within = "http://a-host-with-a-very-long-name.example:8080/play/GfHVYm9lbCJUrykovuLXzmyVVr5jkTWk/?x=1";
    expect(actsEn.asks.click({ object: "Go", within })).toBe("Click “Go” on a-host-with-a-very-long-name.example:8080/play/…?");
    expect([within, "http://shop.test/cart/", "Notes"].map(isShort)).toEqual([false, true, true]);
  });

  it("leaves keys out of an address, and keeps its words", () => {
    expect(withoutKeys("http://127.0.0.1:43469/ZvXWj3s59uFnQxK-djrj_zDxGtwfnoUJ/?x=1#y")).toBe("http://127.0.0.1:43469/…/");
    expect(withoutKeys("http://shop.test/01890a5d-ac96-774b-bcce-b302099a8057/cart")).toBe("http://shop.test/…/cart");
    expect(withoutKeys("https://shop.test/Spring-Sale-for-Gardeners/2026")).toBe("https://shop.test/Spring-Sale-for-Gardeners/2026");
    expect(shortName("https://shop.test/a-very-long-word-of-a-page-about-tea")).toBe("shop.test/a-very-long-…");
  });

  it("counts files only where a path can cover several", () => {
    expect(["src", "/etc/hosts", "a[*]b.txt", undefined].map(isPattern)).toEqual([false, false, false, false]);
    expect(["**/*.md", "src/**", "a?.txt", "{a,b}.txt"].map(isPattern)).toEqual([true, true, true, true]);
  });

  it("has no space between Chinese words", () => {
    expect(actsZh.asks.click({ object: "购买", kind: "button" })).toBe("点击按钮“购买”？");
    expect(actsZh.asks.back({ object: "" })).toBe("在页面上后退？");
  });
});

it("a server's tool is named where its call has no target, as reads have none", () => {
  expect([objectOf("files.list_directory"), objectOf("list_files")]).toEqual(["files.list_directory", ""]);
});
