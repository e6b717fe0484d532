import { useEffect, useRef, useState } from "preact/hooks";
import { closePanel, later, openPanel, stepPrompt } from "../actions/panel";
import { prefer, preferences } from "../../../preferences";
import { isPanelOpen, queue, waiting, waitsElsewhere } from "../store";
import { page, texts } from "../../../store";
import { isCovered, isTyping } from "../../../logic/keys";
import { Boundary } from "../../../ui/Boundary";
import { Icon } from "../../../ui/Icon";
import { lazily } from "../../../ui/Lazy";

/** Nobody answers in the first moment, so the forms are fetched after everything else. */
const PromptCard = lazily(async () => (await import("./PromptCard")).PromptCard);

/** The panel of questions and its button. */
export function Panel() {
  const t = texts.value;
  const isOpen = isPanelOpen.value;
  const { order, shown, prompts: asked } = queue.value;
  const panel = useRef<HTMLElement>(null);
  const smile = useRef<HTMLButtonElement>(null);
  const holdsFocus = useRef(false);
  const [visited, setVisited] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => void setTimeout(PromptCard.prepare, 1500), []);
  const at = shown ? order.indexOf(shown) : -1;
  const cards = order.filter((id) => id === shown || visited.has(id));

  useEffect(() => {
    if (shown && !visited.has(shown)) setVisited(new Set([...visited, shown]));
    // The focus moves to the next question only from the previous one; it is never taken from elsewhere.
    if (isOpen && holdsFocus.current) focusTitle();
  }, [shown]);

  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (isCovered()) return;
      if (event.key === "Escape" && isPanelOpen.value) {
        later();
        if (!isPanelOpen.value && panel.current?.contains(document.activeElement)) smile.current?.focus();
      } else if (!isTyping(event) && (event.key === "q" || event.key === "Q")) {
        openPanel();
        focusTitle();
      } else if (isPanelOpen.value && !isTyping(event) && !isRadio(event.target)) {
        if (event.key === "ArrowLeft") stepPrompt(-1);
        if (event.key === "ArrowRight") stepPrompt(1);
      }
    };
    const onFocus = (): void => {
      holdsFocus.current = panel.current?.contains(document.activeElement) ?? false;
    };
    addEventListener("keydown", onKey);
    addEventListener("focusin", onFocus);
    return () => {
      removeEventListener("keydown", onKey);
      removeEventListener("focusin", onFocus);
    };
  }, []);

  function focusTitle(): void {
    requestAnimationFrame(() => panel.current?.querySelector<HTMLElement>("article:not([hidden]) h2, .empty")?.focus());
  }

  function toggle(): void {
    if (isOpen) return closePanel();
    openPanel();
    focusTitle();
  }

  const { isPanelWide } = preferences.value;
  return (
    <aside class={`questions ${page.value === "inbox" && isOpen && shown !== null ? "docked" : ""}`} aria-label={t.questions}>
      <section ref={panel} class={`panel ${isPanelWide ? "wide" : ""}`} role="dialog" aria-label={t.waiting(waiting.value)} hidden={!isOpen}>
        <div class="panel-bar">
          {order.length > 1 && (
            <>
              <button type="button" aria-label={t.previous} title={t.previous} disabled={at <= 0} onClick={() => stepPrompt(-1)}><Icon name="left" /></button>
              <span class="sub">{t.position(at + 1, order.length)}</span>
              <button type="button" aria-label={t.next} title={t.next} disabled={at >= order.length - 1} onClick={() => stepPrompt(1)}><Icon name="right" /></button>
            </>
          )}
          <button type="button" class="widen" aria-label={isPanelWide ? t.narrow : t.widen} title={isPanelWide ? t.narrow : t.widen} onClick={() => prefer({ isPanelWide: !isPanelWide })}>
            <Icon name={isPanelWide ? "narrow" : "wide"} />
          </button>
          <button type="button" class="close-panel" aria-label={t.closePanel} title={t.closePanel} onClick={() => { closePanel(); smile.current?.focus(); }}><Icon name="remove" /></button>
        </div>
        {cards.map((id) => {
          const card = asked.get(id);
          return card && <Boundary key={id} isHidden={id !== shown}><PromptCard asked={card} isShown={id === shown} /></Boundary>;
        })}
        {shown === null && (
          <div class="empty" tabIndex={-1}>
            <p>{t.nothingWaiting}</p>
            <p class="sub">{t.nothingWaitingHint}</p>
          </div>
        )}
      </section>
      <button type="button" ref={smile} class="smile" hidden={!waitsElsewhere.value && !isOpen} aria-expanded={isOpen} aria-label={t.waiting(waiting.value)} title={t.waiting(waiting.value)} onClick={toggle}>
        <svg viewBox="0 0 32 32" aria-hidden="true"><path d="M11 13v.01M21 13v.01M10 19c2 3.4 10 3.4 12 0" /></svg>
        {waiting.value > 0 && <span class="badge">{waiting.value > 99 ? "99+" : waiting.value}</span>}
      </button>
    </aside>
  );
}

/** Left and right belong to radio buttons while one of them has the focus. */
function isRadio(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && target.type === "radio";
}
