import { useEffect, useRef } from "preact/hooks";
import type { SettingsSection } from "../../../shell/feature";
import { installed } from "../../../shell/installed";
import { subject, texts } from "../../../store";
import { PageHead } from "../../../ui/PageHead";

/** The cards that features bring, in sections; the address may name one of them. */
export function Settings() {
  const t = texts.value;
  const body = useRef<HTMLDivElement>(null);
  const sections = Object.keys(t.sections) as SettingsSection[];
  const cards = installed().flatMap((feature) => feature.settings ?? []);
  const wanted = subject.value;

  useEffect(() => {
    const section = wanted && body.current?.querySelector<HTMLElement>(`[data-section="${CSS.escape(wanted)}"]`);
    if (section) section.scrollIntoView({ block: "start" });
  }, [wanted]);

  return (
    <>
      <PageHead title={t.pages.settings}>
        <nav class="sections" aria-label={t.pages.settings}>
          {sections.map((name) => <a key={name} href={`#/settings/${name}`} aria-current={(wanted || sections[0]) === name ? "true" : undefined}>{t.sections[name]}</a>)}
        </nav>
      </PageHead>
      <div class="page-body settings" ref={body} data-scroller tabIndex={0} role="group" aria-label={t.pages.settings}>
        {sections.map((name) => (
          <div key={name} class="settings-section" data-section={name}>
            {cards.filter(({ section }) => section === name).map(({ View }, at) => <View key={at} />)}
          </div>
        ))}
      </div>
    </>
  );
}
