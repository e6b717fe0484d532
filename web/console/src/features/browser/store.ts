/** The console's state of browsers. Only actions.ts beside it writes here. */

import { computed, signal } from "@preact/signals";
import type { BrowserTask } from "./logic/browserTasks";
import { inOrder, type Plugin } from "./logic/plugins";
import type { TaskPageView } from "./logic/pageView";
import { noSnapshots, type Snapshots } from "./logic/windows";
import type { ExtensionInfo } from "./bridge";

export const plugins = signal<readonly Plugin[]>([]);
export const arePluginsLoaded = signal(false);
export const tasks = signal<readonly BrowserTask[]>([]);
/** The last task of the last page of the list; undefined once everything is loaded. */
export const olderThan = signal<string | undefined>(undefined);
export const snapshots = signal<Snapshots>(noSnapshots);
/** The shown task, until another one is chosen; undefined while there is none. */
export const chosenTask = signal<string | undefined>(undefined);
/** The chosen browser; undefined shows the most likely one. */
export const chosenBrowser = signal<string | undefined>(undefined);
export const lastView = signal<TaskPageView | null>(null);
/** The extension in the browser that shows this page; null if none has answered. */
export const extension = signal<ExtensionInfo | null | "unknown">("unknown");

export const shownTask = computed(() => tasks.value.find(({ taskId }) => taskId === chosenTask.value));
export const shownBrowser = computed(() => {
  const all = inOrder(plugins.value);
  return all.find(({ clientId }) => clientId === chosenBrowser.value) ?? all[0];
});
/** Whether the extension here is connected to this server, and not to another one. */
export const isHereConnected = computed(() => {
  const here = extension.value;
  return here !== null && here !== "unknown" && plugins.value.some(({ clientId, socketConnected }) => clientId === here.clientId && socketConnected);
});
