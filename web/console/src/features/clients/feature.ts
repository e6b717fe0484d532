import { fetchData } from "@handrail/host";
import type { Feature } from "../../shell/feature";
import { lazily } from "../../ui/Lazy";
import { isAgents } from "./actions";

/** The other texts of this page are loaded with its code. */
export type ClientsWords = { pages: { connect: string } };

export const clients: Feature = {
  server: "clients",
  pages: [{ name: "connect", group: "foot", icon: "M12 5v14M5 12h14", View: lazily(async () => (await import("./components/Clients")).Clients) }],
  firstPage: async () => ((await isFirstRun()) ? "connect" : null),
};

/** True until an agent's first call has arrived, however much the person did here since. */
async function isFirstRun(): Promise<boolean> {
  const { tasks } = await fetchData<{ tasks: { caller?: string }[] }>("/api/history?limit=200").catch(() => ({ tasks: [{}] }));
  return !tasks.some(isAgents);
}
