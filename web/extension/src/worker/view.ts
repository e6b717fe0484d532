/** What the popup and the options page show; they read it from session storage. */

export interface TaskView { taskId: string; title: string; color: string; tabId: number | null; status: "running" | "takeover"; tabs: number }
export interface PairRequest { server: string; code: string }

export interface View {
  connection: "unpaired" | "connecting" | "connected" | "refused";
  server: string | null;
  clientId: string;
  tasks: TaskView[];
  pairRequest: PairRequest | null;
  problem: string | null;
}

export async function publish(view: View): Promise<void> {
  await chrome.storage.session.set({ view });
}
