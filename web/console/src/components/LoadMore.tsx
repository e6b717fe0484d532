import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../failure";
import { texts } from "../store";

/** The end of a list that goes on: reads the next page as soon as it comes near, or when pressed. */
export function LoadMore({ load }: { load: () => Promise<void> }) {
  const button = useRef<HTMLButtonElement>(null);
  const isLoading = useRef(false);
  const [error, setError] = useState("");

  async function more(): Promise<void> {
    if (isLoading.current) return;
    isLoading.current = true;
    setError("");
    try {
      await load();
    } catch (failure) {
      setError(messageOf(failure));
    } finally {
      isLoading.current = false;
    }
  }

  // Every render may have moved the end: a fresh observer looks again.
  useEffect(() => {
    const element = button.current;
    if (!element || error) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) void more();
      },
      { root: element.closest("[data-scroller]"), rootMargin: "600px 0px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  });

  return (
    <p class="load-more">
      {error && <span class="problem">{error} </span>}
      <button type="button" ref={button} class="plain" onClick={() => void more()}>{texts.value.loadMore}</button>
    </p>
  );
}
