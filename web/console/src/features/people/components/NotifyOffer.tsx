import { useState } from "preact/hooks";
import { prefer, preferences } from "../../../preferences";
import { texts } from "../../../store";
import { canNotify, setNotifies } from "../actions/notice";

/** Offers desktop notifications for new questions; asked once. */
export function NotifyOffer() {
  const t = texts.value;
  const [isBlocked, setIsBlocked] = useState(false);
  const { notifies, wasAskedToNotify } = preferences.value;
  if (notifies || wasAskedToNotify || !canNotify()) return null;
  const turnOn = async (): Promise<void> => {
    const isOn = await setNotifies(true);
    setIsBlocked(!isOn);
    if (isOn) prefer({ wasAskedToNotify: true });
  };
  return (
    <aside class="notify-offer" aria-label={t.notifications}>
      <p>{isBlocked ? t.notificationsBlocked : t.notifyOffer}</p>
      <p class="row">
        {!isBlocked && <button type="button" class="plain" onClick={() => void turnOn()}>{t.notifyYes}</button>}
        <button type="button" class="bare" onClick={() => prefer({ wasAskedToNotify: true })}>{t.notifyNo}</button>
      </p>
    </aside>
  );
}
