import type { Feature } from "../../shell/feature";
import { lazily } from "../../ui/Lazy";
import { closePanel, openPanel } from "./actions/panel";
import { reloadPrompts, takeIn } from "./actions/prompts";
import { Panel } from "./components/Panel";
import { Inbox } from "./components/Inbox";
import "./panel.css";
import { isPanelOpen, waiting } from "./store";
import { peopleEn } from "./texts/en";
import type { PeopleTexts } from "./texts/shape";
import { peopleZh } from "./texts/zh";

export const people: Feature<PeopleTexts> = {
  texts: { en: peopleEn, zh: peopleZh },
  pages: [{ name: "inbox", group: "work", formerly: ["prompts"], icon: "M4 13h4l2 3h4l2-3h4M4 13 6 5h12l2 8v6H4z", View: Inbox, count: () => waiting.value, opened: openPanel }],
  overlays: [{ View: Panel }],
  settings: [{ place: 4.5, View: lazily(async () => (await import("./components/PasskeyCard")).PasskeyCard) }],
  panel: { open: openPanel, close: closePanel, toggle: () => (isPanelOpen.value ? closePanel() : openPanel()) },
  listen(_, host) {
    host.uiPrompts.onUpdate(({ entries }) => takeIn(entries));
  },
  reload: reloadPrompts,
};
