import type { FileChangePrompt, Grant, Offer, RequestEntry } from "@handrail/host";
import { useState } from "preact/hooks";
import { visible } from "../../../logic/visible";
import { texts } from "../../../store";
import { AnswerForm, type FurtherYes } from "./AnswerForm";
import { ChangeDetails, labelOf } from "./ChangeDetails";
import { GrantEditor } from "./GrantEditor";
import { SimilarApprovals } from "./SimilarApprovals";

export function ChangeForm({ request, prompt, isShown }: { request: RequestEntry; prompt: FileChangePrompt; isShown: boolean }) {
  const t = texts.value;
  const [remark, setRemark] = useState(prompt.defaultRemark ?? "");
  const [isEditing, setIsEditing] = useState(false);
  const always = prompt.consent ? undefined : prompt.offers?.find((offer): offer is Offer & { grant: Grant } => offer.scope === "rule" && offer.grant !== undefined);
  const editing: FurtherYes[] = always ? [{ text: t.allowAlways, isOpen: isEditing, toggle: () => setIsEditing(!isEditing) }] : [];
  return (
    <AnswerForm
      request={request}
      isShown={isShown}
      yes={t.allowOnce}
      no={t.deny}
      isUnseen={prompt.unseen !== undefined}
      further={[...furtherYes(prompt), ...editing]}
      remark={{ value: remark, set: setRemark }}
      collect={() => ({ status: "ok" })}
    >
      {isEditing && always && <GrantEditor request={request} offer={always} />}
      <ChangeDetails prompt={prompt} />
      <SimilarApprovals request={request} isShown={isShown} />
    </AnswerForm>
  );
}

/** What an app is allowed is remembered for the program that asks. What becomes a rule is edited first. */
function furtherYes({ consent, offers = [] }: FileChangePrompt): FurtherYes[] {
  const t = texts.value;
  const offered = offers.filter(({ scope, grant }) => grant && scope === "task");
  const further = offered.map((offer): FurtherYes => ({ text: labelOf(offer, offered), reach: { scope: offer.scope, ...(offer.grant ? { grant: offer.grant } : {}) } }));
  if (!consent) return further;
  return [
    { text: t.allowTool, reach: { scope: "rule", covers: "tool" } },
    { text: t.allowApp(visible(consent.appName)), reach: { scope: "rule", covers: "app" } },
    ...further,
  ];
}
