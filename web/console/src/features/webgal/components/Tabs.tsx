import type { TargetedKeyboardEvent } from "preact";
import { showTab } from "../actions";
import { problems, tab, TABS, type Tab } from "../store";
import { words } from "../words";

export function Tabs() {
  const w = words.value;

  function move(event: TargetedKeyboardEvent<HTMLElement>): void {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    // Elsewhere, the arrows step through the questions.
    event.stopPropagation();
    const next = TABS[(TABS.indexOf(tab.value) + step + TABS.length) % TABS.length] as Tab;
    showTab(next);
    document.getElementById(`tab-${next}`)?.focus();
  }

  return (
    <div class="tabs" role="tablist" aria-label={w.views} onKeyDown={move}>
      {TABS.map((name) => (
        <button
          key={name}
          type="button"
          id={`tab-${name}`}
          role="tab"
          aria-selected={tab.value === name}
          aria-controls={tab.value === name ? `view-${name}` : undefined}
          tabIndex={tab.value === name ? 0 : -1}
          onClick={() => showTab(name)}
        >
          {w.tabs[name]}
          {name === "problems" && problems.value.length > 0 && <span class="tab-count">{problems.value.length}</span>}
        </button>
      ))}
    </div>
  );
}
