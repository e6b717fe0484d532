import { evidenceUrl, picturesOf, type Call } from "../../history/logic/calls";
import { Sentence } from "../../history/components/Sentence";
import { texts } from "../../../store";
import { Enlargeable } from "../../../ui/Enlargeable";
import { Moment } from "../../../ui/Moment";
import { ServerImage } from "../../../ui/ServerImage";
import { words } from "../words";

/** What an agent has just done, and the window afterwards: each action keeps a picture of it. */
export function LastAction({ call }: { call: Call }) {
  const t = texts.value;
  const file = picturesOf(call).find((name) => /after/.test(name)) ?? picturesOf(call).at(-1)!;
  return (
    <section class="card" aria-label={words.value.acted}>
      <h2><Sentence step={{ id: call.executionId, calls: [call], isGroup: false }} /></h2>
      <p class="sub">{/after/.test(file) ? t.after : t.before} · <Moment at={call.startedAt} /></p>
      <Enlargeable label={words.value.acted}><ServerImage url={evidenceUrl(call.executionId, file)} alt={words.value.acted} /></Enlargeable>
    </section>
  );
}
