import { chatTexts, conversation, loading } from "../store";
import { open } from "../actions/following";
import { texts } from "../../../store";
import { lazily } from "../../../ui/Lazy";
import { Composer } from "./Composer";
import { ConversationHead } from "./ConversationHead";

/** A new task has nothing to read yet. */
const Transcript = lazily(async () => (await import("./Transcript")).Transcript);
setTimeout(Transcript.prepare, 1500);

interface TalkProps {
  taskId: string;
  isBesideOpen: boolean;
  toggleBeside: () => void;
}

/** One conversation. */
export function ConversationView({ taskId, isBesideOpen, toggleBeside }: TalkProps) {
  const state = loading.value;
  return (
    <section class="talk" aria-label={chatTexts.value.conversation}>
      <ConversationHead taskId={taskId} isBesideOpen={isBesideOpen} toggleBeside={toggleBeside} />
      {state === "loading" && conversation.value.entries.length === 0 && <p class="nothing talk-nothing" role="status">{texts.value.loading}</p>}
      {typeof state === "object" && (
        <p class="problem talk-nothing" role="alert">{state.problem} <button type="button" class="plain" onClick={() => void open(taskId)}>{texts.value.retry}</button></p>
      )}
      {state === "ready" && <Transcript taskId={taskId} />}
      <Composer taskId={taskId} />
    </section>
  );
}
