import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { texts } from "../store";

/** A page whose code is fetched when it is first opened. */
export function lazily(load: () => Promise<ComponentType>): ComponentType {
  let known: ComponentType | null = null;
  return function Lazy() {
    const [View, setView] = useState<ComponentType | null>(() => known);
    const [hasFailed, setHasFailed] = useState(false);
    const read = (): void => {
      setHasFailed(false);
      load().then((found) => { known = found; setView(() => found); }, () => setHasFailed(true));
    };
    useEffect(() => { if (!known) read(); }, []);
    if (View) return <View />;
    const t = texts.value;
    if (hasFailed) return <p class="problem" role="alert">{t.broken} <button type="button" class="plain" onClick={read}>{t.retry}</button></p>;
    return <p class="nothing">{t.loading}</p>;
  };
}
