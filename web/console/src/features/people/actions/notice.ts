/** Desktop notifications, if the person turned them on, and only while the page isn't in front. */

import type { RequestEntry } from "@handrail/host";
import { visible } from "../../../logic/visible";
import { prefer, preferences } from "../../../preferences";

export const canNotify = (): boolean => "Notification" in window;

export async function setNotifies(isWanted: boolean): Promise<boolean> {
  const isGranted = isWanted && canNotify() && (await Notification.requestPermission()) === "granted";
  prefer({ notifies: isGranted });
  return isGranted === isWanted;
}

export function notify(title: string, entry: RequestEntry, onClick: () => void): void {
  if (!preferences.value.notifies || !canNotify() || Notification.permission !== "granted") return;
  if (document.visibilityState === "visible" && document.hasFocus()) return;
  const notice = new Notification(title, { body: visible(entry.prompt.source ?? ""), tag: entry.requestId });
  notice.onclick = () => {
    window.focus();
    onClick();
    notice.close();
  };
}
