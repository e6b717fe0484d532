import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../shell/failure";
import { texts } from "../store";

/** The end of a list: loads the next page when it comes near, or when pressed. */
export function LoadMore({ load }: { load: () => Promise<void> }) {
  const button = useRef<HTMLButtonElement>(null);
  const [isLoading, setIsLoading] = useState(false);
  const [error, setError] = useState("");

  async function more(): Promise<void> {
    setIsLoading(true);
    setError("");
    try {
      await load();
    } catch (failure) {
      setError(messageOf(failure));
    } finally {
      setIsLoading(false);
    }
  }

  // An observer reports only changes, and the end may still be near after a page, so a new one checks again.
  useEffect(() => {
    const element = button.current;
    if (!element || isLoading || error) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) void more();
      },
      { root: element.closest("[data-scroller]"), rootMargin: "600px 0px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [isLoading, error]);

  return (
    <p class="load-more">
      {error && <span class="problem">{error} </span>}
      <button type="button" ref={button} class="plain" disabled={isLoading} onClick={() => void more()}>{isLoading ? texts.value.loading : texts.value.loadMore}</button>
    </p>
  );
}
