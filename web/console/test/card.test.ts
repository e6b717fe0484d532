import type { Card, Grant } from "@handrail/host";
import { describe, expect, it } from "vitest";
import { coverage, shownParams } from "../src/features/people/logic/card";
import { cardEn } from "../src/features/people/texts/card.en";
import { cardZh } from "../src/features/people/texts/card.zh";
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
    expect(coverage({ tools: ["read_file", "edit_file"], path: "notes.md" }, cardEn)).toBe("edit notes.md");
  });

  it("is in words for tools that name nothing else, and for what is typed", () => {
    expect(coverage({ tools: ["desktop_clipboard"] }, cardEn)).toBe("read and replace what is on your clipboard");
    expect(coverage({ tools: ["agent_permission"] }, cardEn)).toBe("use every tool of its own inside its cage");
    expect(coverage({ tools: ["native_shell"], command: 'yes ({"input":true})' }, cardEn)).toBe("send “yes” to a running program");
    expect(coverage({ tools: ["native_shell"], command: "make" }, cardEn)).toBe("run make");
    for (const tool of ["desktop_clipboard", "agent_permission"]) expect(coverage({ tools: [tool] }, cardZh)).not.toContain(tool);
  });

  it("is a sentence in Chinese", () => {
    expect(cardZh.may("Codex", coverage(onPath("native_read"), cardZh), cardZh.within("shop"))).toBe("Codex 可以在项目 shop 中读取 notes.md。");
  });
});

describe("the parameters on a card", () => {
  it("are what an app or a server is given, without the names of the wire", () => {
    expect(shownParams(card("apps_call", fact("app", "com.example"), fact("tool", "send"), fact("params.text", "hi")))).toEqual([fact("text", "hi")]);
    expect(shownParams(card("github.say", fact("arguments.text", "hi")))).toEqual([fact("text", "hi")]);
    expect(shownParams(card("native_mcp", fact("arguments.server", "github"), fact("arguments.tool", "say"), fact("arguments.arguments", "{}")))).toEqual([fact("arguments", "{}")]);
  });

  it("are left out where the headline and the facts say everything", () => {
    expect(shownParams(card("native_read", fact("path", "/etc/hosts"), fact("isSearch", "false")))).toEqual([]);
    expect(shownParams(card("desktop_clipboard", fact("action", "write")))).toEqual([fact("action", "write")]);
  });
});

describe("a headline", () => {
  it("names an element without a name by its kind, without quotes", () => {
    expect(actsEn.asks.click({ object: "", within: "http://shop.test/" })).toBe("Click an element on shop.test?");
    expect(actsEn.asks.set({ object: "", kind: "textfield", within: "Notes" })).toBe("Set a text field on Notes?");
    expect(actsZh.asks.click({ object: "", within: "http://shop.test/" })).toBe("点击 shop.test 上的元素？");
    expect(actsZh.asks.press({ object: "" })).toBe("按键？");
  });

  it("has no space between Chinese words", () => {
    expect(actsZh.asks.click({ object: "购买", kind: "button" })).toBe("点击按钮“购买”？");
    expect(actsZh.asks.back({ object: "" })).toBe("在页面上后退？");
  });
});
