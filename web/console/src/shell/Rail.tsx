import { signal } from "@preact/signals";
import { page, texts } from "../store";
import { Connection } from "../ui/PageHead";
import { PathIcon } from "../ui/Icon";
import { openCommands } from "./commands";
import { isApple } from "./device";
import { pages } from "./installed";
import type { FeaturePage } from "./feature";
import { Logo } from "./Logo";
import { ProjectSwitch } from "./ProjectSwitch";

/** On a phone, only the first pages are tabs; the others are behind "More". */
const isMoreOpen = signal(false);
const TABS = 3;

export function Rail() {
  const t = texts.value;
  const inGroup = (group: FeaturePage["group"]): FeaturePage[] => pages().filter((one) => one.group === group);
  const tabs = inGroup("work").slice(0, TABS).map(({ name }) => name);
  const isElsewhere = !tabs.includes(page.value);
  return (
    <nav class={`rail ${isMoreOpen.value ? "more-open" : ""}`} aria-label={t.navigation}>
      <div class="brand"><Logo /><b>handrail</b></div>
      <ProjectSwitch />
      <div class="rail-group">{inGroup("work").map((one) => <RailLink key={one.name} page={one} isTab={tabs.includes(one.name)} />)}</div>
      <div class="rail-group" role="group" aria-label={t.surfaces}>
        <span class="rail-label" aria-hidden="true">{t.surfaces}</span>
        {inGroup("surfaces").map((one) => <RailLink key={one.name} page={one} />)}
      </div>
      <div class="rail-group rail-foot">
        {inGroup("foot").map((one) => <RailLink key={one.name} page={one} />)}
        <button type="button" class="rail-commands" onClick={openCommands}><kbd>{isApple() ? "⌘K" : "Ctrl K"}</kbd>{t.commands}</button>
        <Connection />
      </div>
      <button type="button" class="rail-more" aria-expanded={isMoreOpen.value} data-current={isElsewhere || undefined} onClick={() => (isMoreOpen.value = !isMoreOpen.value)}>
        <PathIcon path="M5 12h.01M12 12h.01M19 12h.01" /><span>{t.more}</span>
      </button>
    </nav>
  );
}

function RailLink({ page: { name, icon, count }, isTab = false }: { page: FeaturePage; isTab?: boolean }) {
  const label = texts.value.pages[name];
  return (
    <a href={`#/${name}`} class={`${name} ${isTab ? "tab" : ""}`} aria-current={page.value === name ? "page" : undefined} title={label} onClick={() => (isMoreOpen.value = false)}>
      <PathIcon path={icon} />
      <span>{label}</span>
      {count && count() > 0 && <span class="rail-dot" aria-hidden="true">{count()}</span>}
    </a>
  );
}
