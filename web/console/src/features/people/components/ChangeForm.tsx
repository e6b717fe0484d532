import type { FileChangePrompt, RequestEntry } from "@handrail/host";
import { useState } from "preact/hooks";
import { texts } from "../../../store";
import { cardOf } from "../logic/card";
import { AnswerForm } from "./AnswerForm";
import { CardDetails, ChangeDetails } from "./ChangeDetails";
import { ScopeMenu, type Scope } from "./ScopeMenu";
import { SimilarApprovals } from "./SimilarApprovals";

export function ChangeForm({ request, prompt, isShown }: { request: RequestEntry; prompt: FileChangePrompt; isShown: boolean }) {
  const t = texts.value;
  const [remark, setRemark] = useState(prompt.defaultRemark ?? "");
  const [scope, setScope] = useState<Scope | null>(null);
  const card = cardOf(request);
  return (
    <AnswerForm
      request={request}
      isShown={isShown}
      yes={t.allowOnce}
      no={t.deny}
      wider={scope}
      isUnseen={prompt.unseen !== undefined}
      remark={{ value: remark, set: setRemark }}
      collect={() => ({ status: "ok" })}
      message={card ? "" : undefined}
      menu={<ScopeMenu request={request} prompt={prompt} card={card} isShown={isShown} choose={setScope} />}
      details={<CardDetails request={request} card={card} />}
    >
      <ChangeDetails prompt={prompt} card={card} />
      <SimilarApprovals request={request} isShown={isShown} />
    </AnswerForm>
  );
}
