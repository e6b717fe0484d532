import { fetchData } from "@handrail/host";
import type { Feature } from "../../shell/feature";
import { lazily } from "../../ui/Lazy";
import { filmed } from "../history/store";

/** The other words of these views come with their code. */
export type AgentWords = { pages: { chat: string } };

export const agent: Feature<AgentWords> = {
  texts: { en: { pages: { chat: "Chat" } }, zh: { pages: { chat: "对话" } } },
  pages: [{ name: "chat", icon: "M4 12c0-4 3.4-7 8-7s8 3 8 7-3.4 7-8 7c-1.2 0-2.4-.2-3.4-.6L4 20l1.2-3.8C4.4 15 4 13.6 4 12z", View: lazily(async () => (await import("./components/Chat")).Chat) }],
  settings: [{ place: 2, View: lazily(async () => (await import("./components/ModelCard")).ModelCard) }],
  overlays: [{ View: lazily(async () => (await import("./components/Film")).Film), isShown: () => filmed.value !== null }],
  firstPage: async () => ((await comesToTalk()) ? "chat" : null),
};

interface Models {
  models: { name: string; hasKey: boolean }[];
  current: string;
}

/** Who has a model connected comes to talk; everybody else to connect an agent, or to look. */
async function comesToTalk(): Promise<boolean> {
  const { current, models } = await fetchData<Models>("/api/agent/models").catch((): Models => ({ current: "", models: [] }));
  return current !== "" && models.find(({ name }) => name === current)?.hasKey !== false;
}
