import type { PromptEntry } from "@handrail/host";
import type { Feature } from "../../shell/feature";
import { lazily } from "../../ui/Lazy";
import { closePanel, openPanel } from "./actions/panel";
import { followWindowCommands } from "./actions/windowCommands";
import { reloadPrompts, receiveEntries } from "./actions/prompts";
import { Panel } from "./components/Panel";
import "./panel.css";
import { isPanelOpen, waiting } from "./store";

export const people: Feature = {
  pages: [{ name: "inbox", group: "work", formerly: ["prompts"], icon: "M4 13h4l2 3h4l2-3h4M4 13 6 5h12l2 8v6H4z", View: lazily(async () => (await import("./components/Inbox")).Inbox), count: () => waiting.value, opened: openPanel }],
  overlays: [{ View: Panel }],
  settings: [{ section: "access", View: lazily(async () => (await import("./components/PasskeyCard")).PasskeyCard) }],
  panel: { open: openPanel, close: closePanel, toggle: () => (isPanelOpen.value ? closePanel() : openPanel()) },
  listen(line) {
    line.on("ui_prompts", ({ entries }: { entries: PromptEntry[] }) => receiveEntries(entries));
    void followWindowCommands();
  },
  reload: reloadPrompts,
};
