import type { ChangePart, FileChangePrompt, RequestEntry } from "@handrail/host";
import { useState } from "preact/hooks";
import { texts } from "../../../store";
import { cardOf } from "../logic/card";
import { count, EVERYTHING, isEdited, isWhole, type PartChoice, chosenParts } from "../logic/parts";
import { AnswerForm } from "./AnswerForm";
import { CardDetails, ChangeDetails } from "./ChangeDetails";
import { PartChooser } from "./PartChooser";
import { ScopeMenu, type Scope } from "./ScopeMenu";
import { SimilarApprovals } from "./SimilarApprovals";

export function ChangeForm({ request, prompt, isShown }: { request: RequestEntry; prompt: FileChangePrompt; isShown: boolean }) {
  const t = texts.value;
  const [remark, setRemark] = useState(prompt.defaultRemark ?? "");
  const [scope, setScope] = useState<Scope | null>(null);
  const [taking, setTaking] = useState(EVERYTHING);
  const card = cardOf(request);
  // Only handrail's own approvals can be answered in part.
  const parts = card ? (prompt.parts ?? []) : [];
  const isPart = !isWhole(parts, taking);
  return (
    <AnswerForm
      request={request}
      isShown={isShown}
      yes={isPart ? partYes(parts, taking) : t.allowOnce}
      no={t.deny}
      wider={isPart ? null : scope}
      isUnseen={prompt.unseen !== undefined}
      remark={{ value: remark, set: setRemark }}
      collect={() => {
        const choice = chosenParts(parts, taking);
        return choice && { status: "ok", ...choice };
      }}
      message={card ? "" : undefined}
      menu={isPart ? undefined : <ScopeMenu request={request} prompt={prompt} card={card} isShown={isShown} choose={setScope} />}
      details={<CardDetails request={request} card={card} />}
    >
      <ChangeDetails prompt={prompt} card={card} requestId={request.requestId} />
      <PartChooser parts={parts} taking={taking} set={setTaking} />
      <SimilarApprovals request={request} isShown={isShown} />
    </AnswerForm>
  );
}

/** The label of a partial yes says which part. */
function partYes(parts: readonly ChangePart[], taking: PartChoice): string {
  const t = texts.value.parts;
  if (parts.some((part) => isEdited(part, taking))) return t.allowEdited;
  const { taken, all } = count(parts, taking);
  return t.allow(taken, all);
}
