/** What the console knows of browsers. Only actions.ts beside it writes here. */

import { computed, signal } from "@preact/signals";
import type { BrowserTask } from "./logic/browserTasks";
import { inOrder, type Plugin } from "./logic/plugins";
import type { Sight } from "./logic/sight";
import { noSnapshots, type Snapshots } from "./logic/windows";
import type { Found } from "./bridge";

export const plugins = signal<readonly Plugin[]>([]);
export const arePluginsLoaded = signal(false);
export const tasks = signal<readonly BrowserTask[]>([]);
/** The last task of the last page of the list; undefined once all of it is read. */
export const olderThan = signal<string | undefined>(undefined);
export const snapshots = signal<Snapshots>(noSnapshots);
/** The task that is shown, until another one is chosen; undefined as long as there is none. */
export const chosenTask = signal<string | undefined>(undefined);
/** What was chosen; undefined shows what is most likely meant. */
export const chosenBrowser = signal<string | undefined>(undefined);
export const sight = signal<Sight | null>(null);
/** The extension of the very browser that shows this page; null once none has answered. */
export const found = signal<Found | null | "unknown">("unknown");

export const shownTask = computed(() => tasks.value.find(({ taskId }) => taskId === chosenTask.value));
export const shownBrowser = computed(() => {
  const all = inOrder(plugins.value);
  return all.find(({ clientId }) => clientId === chosenBrowser.value) ?? all[0];
});
/** That the extension here is connected to this server, and not to another one. */
export const isHereConnected = computed(() => {
  const here = found.value;
  return here !== null && here !== "unknown" && plugins.value.some(({ clientId, socketConnected }) => clientId === here.clientId && socketConnected);
});
