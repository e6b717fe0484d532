import type { SettingsSection } from "../../../shell/feature";
import { installed } from "../../../shell/installed";
import { subject, texts } from "../../../store";
import { PageHead } from "../../../ui/PageHead";

/** The features' settings cards, one section at a time; the address may name it. */
export function Settings() {
  const t = texts.value;
  const sections = Object.keys(t.sections) as SettingsSection[];
  const cards = installed().flatMap((feature) => feature.settings ?? []);
  const shown = sections.find((name) => name === subject.value) ?? sections[0];

  return (
    <>
      <PageHead title={t.pages.settings}>
        <nav class="sections" aria-label={t.pages.settings}>
          {sections.map((name) => <a key={name} href={`#/settings/${name}`} aria-current={shown === name ? "true" : undefined}>{t.sections[name]}</a>)}
        </nav>
      </PageHead>
      <div key={shown} class="page-body settings" data-scroller tabIndex={0} role="group" aria-label={t.pages.settings}>
        {cards.filter(({ section }) => section === shown).map(({ View }, at) => <View key={at} />)}
      </div>
    </>
  );
}
