/** A console shows pages of what its server has. */

import { beforeEach, expect, test } from "vitest";
import type { Feature } from "../src/shell/feature";
import { install, installed, pages, serve } from "../src/shell/installed";
import { page } from "../src/store";

const feature = (name: string, server?: string): Feature => ({ ...(server ? { server } : {}), pages: [{ name: name as never, icon: "", View: () => null, group: "work" }] });
const names = (): string[] => pages().map(({ name }) => name);

beforeEach(() => {
  install([feature("inbox"), feature("chat", "agent"), feature("browser", "browser")]);
  serve(undefined);
});

test("without a list from the server, all pages are shown", () => {
  expect(names()).toEqual(["inbox", "chat", "browser"]);
});

test("features that the server lacks are hidden, and their page is left", () => {
  page.value = "browser";
  serve(["people", "agent"]);
  expect(names()).toEqual(["inbox", "chat"]);
  expect(installed()).toHaveLength(2);
  expect(page.value).toBe("inbox");
});

test("a page that is served stays", () => {
  page.value = "chat" as never;
  serve(["agent"]);
  expect(page.value).toBe("chat");
});
