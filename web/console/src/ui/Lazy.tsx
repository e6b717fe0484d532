import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { reloadIfReplaced } from "../shell/newer";
import { connection, texts } from "../store";

export type LazyView<Props = object> = ComponentType<Props> & {
  /** Starts to fetch it before it is certain that it will be shown. */
  prepare: () => void;
};

/** A component that is fetched when it is first shown. */
export function lazily<Props extends object = object>(load: () => Promise<ComponentType<Props>>): LazyView<Props> {
  let Loaded: ComponentType<Props> | null = null;
  let loading: Promise<ComponentType<Props>> | null = null;
  const fetchOnce = (): Promise<ComponentType<Props>> => {
    loading ??= load().then(
      (found) => (Loaded = found),
      (failure: unknown) => {
        loading = null;
        throw failure;
      },
    );
    return loading;
  };
  function Lazy(props: Props) {
    const [View, setView] = useState<ComponentType<Props> | null>(() => Loaded);
    const [hasFailed, setHasFailed] = useState(false);
    const hasBegun = useRef(false);
    const read = (): void => void fetchOnce().then((found) => setView(() => found), async () => setHasFailed(!(await reloadIfReplaced())));
    // At once, not in an effect: effects wait for the next frame.
    if (!View && !hasBegun.current) {
      hasBegun.current = true;
      read();
    }
    const readAgain = (): void => {
      setHasFailed(false);
      read();
    };
    useEffect(() => {
      if (hasFailed && connection.value === "online") readAgain();
    }, [connection.value]);
    if (View) return <View {...props} />;
    const t = texts.value;
    if (hasFailed) return <section class="broken" role="alert"><p>{t.notLoaded}</p><p class="row"><button type="button" class="plain" onClick={readAgain}>{t.retry}</button></p></section>;
    return <p class="nothing">{t.loading}</p>;
  }
  return Object.assign(Lazy, { prepare: () => void fetchOnce().catch(() => undefined) });
}
