import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { texts } from "../store";
import { Icon } from "./Icon";

/** A scrolling part of the page that shows whether there is more below its edge. */
export function Scroller({ label, children }: { label: string; children: ComponentChildren }) {
  const area = useRef<HTMLDivElement>(null);
  const [hasMore, setHasMore] = useState(false);

  useEffect(() => {
    const element = area.current;
    if (!element) return;
    const look = (): void => setHasMore(element.scrollHeight - element.scrollTop - element.clientHeight > 12);
    const watch = new ResizeObserver(look);
    watch.observe(element);
    for (const child of element.children) watch.observe(child);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      watch.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);

  const scrollOn = (): void => area.current?.scrollBy({ top: area.current.clientHeight * 0.8, behavior: "smooth" });
  return (
    <div class="scroller">
      <div class="scroller-area" ref={area} role="group" aria-label={label} tabIndex={0} data-scroller>
        <div class="scroller-content">{children}</div>
      </div>
      {hasMore && (
        <button type="button" class="more-below" onClick={scrollOn}>
          <Icon name="down" /> {texts.value.moreBelow}
        </button>
      )}
    </div>
  );
}
