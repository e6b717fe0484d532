import { installed } from "../../../shell/installed";
import { texts } from "../../../store";
import { PageHead } from "../../../ui/PageHead";

/** The cards that features bring, each at its place. */
export function Settings() {
  const t = texts.value;
  const cards = installed().flatMap((feature) => feature.settings ?? []).sort((one, other) => one.place - other.place);
  return (
    <>
      <PageHead title={t.pages.settings} />
      <div class="page-body settings" data-scroller tabIndex={0} role="group" aria-label={t.pages.settings}>
        {cards.map(({ place, View }) => <View key={place} />)}
      </div>
    </>
  );
}
