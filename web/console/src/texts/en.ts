import type { ShellTexts } from "./shape";

export const shellEn: ShellTexts = {
  navigation: "Pages",
  skip: "Skip to the content",
  connection: { connecting: "connecting…", online: "connected", offline: "not connected, trying again…" },
  loading: "Loading…",
  retry: "Try again",
  copy: "Copy",
  copied: "Copied.",
  codeBlock: "Code",
  broken: "Something here broke",
  brokenHint: "What waits and what was answered is safe: it lies with the server, not in this page.",
  reload: "Load the page again",
  loadMore: "Load more",
  moreBelow: "more below",
  signIn: "Open the console",
  signInHint: "Start handrail up: it opens this page with a one-time code. Or enter the code here.",
  code: "One-time code",
  codeWrong: "This code is not valid, or it was used already.",
  enter: "Enter",
  effects: { READ: "read", WRITE: "write", UI_CONTROL: "ui", EXECUTE: "exec", PROCESS_CONTROL: "process", ASK: "ask" },
};
