import { chatTexts } from "../store";
import { texts } from "../../../store";
import { PageHead } from "../../../ui/PageHead";
import { Composer } from "./Composer";
import { FirstSteps } from "./FirstSteps";

/** Where a task starts: what to work on, and what is needed for it. */
export function Start() {
  const t = chatTexts.value;
  return (
    <section class="talk" aria-label={t.greeting}>
      <PageHead title={texts.value.pages.chat} />
      <div class="start" data-scroller tabIndex={0} role="group" aria-label={t.greeting}>
        <div class="start-content">
          <div class="greeting">
            <h2>{t.greeting}</h2>
            <p class="sub">{t.greetingHint}</p>
          </div>
          <Composer taskId="" />
          <FirstSteps />
        </div>
      </div>
    </section>
  );
}
