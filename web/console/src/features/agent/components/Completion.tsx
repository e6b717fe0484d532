import { useEffect, useState } from "preact/hooks";
import { showInPlace } from "../../people/actions/panel";
import { respond } from "../../people/actions/prompts";
import { chatTexts, conversationOf } from "../store";
import { messageOf } from "../../../shell/failure";
import type { Entry } from "../logic/chat";
import { isSettled } from "../../people/logic/queue";
import { promptOf, reportOf } from "../logic/results";
import { queue } from "../../people/store";
import { texts } from "../../../store";
import { Icon } from "../../../ui/Icon";
import { Markdown } from "../../../ui/Markdown";
import { ToolRow } from "./ToolRow";

/** The result of a piece of work, to be read. The same report stays in the panel until it has been seen. */
export function Completion({ entry }: { entry: Entry }) {
  const t = chatTexts.value;
  const [problem, setProblem] = useState("");
  const [isShowingCall, setIsShowingCall] = useState(false);
  const queued = promptOf(entry, conversationOf.value, queue.value.prompts.values());
  const { prompt } = queued?.request ?? {};
  const requestId = queued?.request.requestId;
  useEffect(() => (requestId === undefined ? undefined : showInPlace(requestId)), [requestId]);
  const report = (prompt?.kind === "result" ? prompt.markdown : undefined) ?? reportOf(entry);

  if (entry.tool?.status === "error") return <ToolRow entry={entry} />;
  return (
    <section class="completion" aria-label={t.completed}>
      <h3 class="completion-head"><Icon name="done" />{t.completed}</h3>
      <Markdown text={report} />
      <p class="row">
        {queued && !isSettled(queued) && (
          <button type="button" class="primary" onClick={() => respond(queued.request, { status: "ok" }).catch((failure: unknown) => setProblem(messageOf(failure)))}>{texts.value.understood}</button>
        )}
        <button type="button" class="quiet" aria-expanded={isShowingCall} onClick={() => setIsShowingCall(!isShowingCall)}>{t.record}</button>
      </p>
      {problem && <p class="problem" role="alert">{problem}</p>}
      {isShowingCall && <ToolRow entry={entry} />}
    </section>
  );
}
