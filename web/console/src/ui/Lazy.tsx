import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { texts } from "../store";

export type LazyView = ComponentType & {
  /** Begins to fetch it, before it is certain that it will be shown. */
  prepare: () => void;
};

/** A page whose code is fetched when it is first opened. */
export function lazily(load: () => Promise<ComponentType>): LazyView {
  let known: ComponentType | null = null;
  let loading: Promise<ComponentType> | null = null;
  const fetchOnce = (): Promise<ComponentType> => {
    loading ??= load().then(
      (found) => (known = found),
      (failure: unknown) => {
        loading = null;
        throw failure;
      },
    );
    return loading;
  };
  function Lazy() {
    const [View, setView] = useState<ComponentType | null>(() => known);
    const [hasFailed, setHasFailed] = useState(false);
    const read = (): void => {
      setHasFailed(false);
      fetchOnce().then((found) => setView(() => found), () => setHasFailed(true));
    };
    useEffect(() => { if (!View) read(); }, []);
    if (View) return <View />;
    const t = texts.value;
    if (hasFailed) return <p class="problem" role="alert">{t.broken} <button type="button" class="plain" onClick={read}>{t.retry}</button></p>;
    return <p class="nothing">{t.loading}</p>;
  }
  return Object.assign(Lazy, { prepare: () => void fetchOnce().catch(() => undefined) });
}
