import { fetchData } from "@handrail/host";
import type { Feature } from "../../shell/feature";
import { lazily } from "../../ui/Lazy";
import type { ChatTexts } from "./texts/shape";

export type AgentWords = { pages: { chat: string }; chat: ChatTexts };

export const agent: Feature = {
  server: "agent",
  pages: [{ name: "chat", group: "work", icon: "M5 6h14M5 12h14M5 18h9", View: lazily(async () => (await import("./components/Chat")).Chat) }],
  settings: [{ section: "models", View: lazily(async () => (await import("./components/ModelCard")).ModelCard) }],
  firstPage: async () => ((await comesToTalk()) ? "chat" : null),
};

interface Models {
  models: { name: string; hasKey: boolean }[];
  current: string;
}

/** With a model connected, the chat is the first page; otherwise another feature's page is. */
async function comesToTalk(): Promise<boolean> {
  const { current, models } = await fetchData<Models>("/api/agent/models").catch((): Models => ({ current: "", models: [] }));
  return current !== "" && models.find(({ name }) => name === current)?.hasKey !== false;
}
