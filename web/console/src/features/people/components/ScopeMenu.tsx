import type { Card, FileChangePrompt, Grant, Offer, RequestEntry } from "@handrail/host";
import { postJson } from "@handrail/host";
import { useEffect, useId, useState } from "preact/hooks";
import { agentLook } from "../../../logic/agents";
import { visible } from "../../../logic/visible";
import { projectName } from "../../../shell/projects";
import { texts } from "../../../store";
import type { Act } from "../../../logic/acts";
import { actOfCard, coverage, grantTitle, isPattern } from "../logic/card";
import type { Reach } from "./AnswerForm";
import { GrantEditor } from "./GrantEditor";

export interface Scope {
  /** What is sent with a yes; null until what it would allow is shown. */
  reach: Reach | null;
  /** The label of the button. */
  yes: string;
}

const WRITING: readonly Act[] = ["edit", "create", "define"];

type Granting = Offer & { grant: Grant };
interface Matches {
  count: number;
  isWhole: boolean;
}

interface ScopeMenuProps {
  request: RequestEntry;
  prompt: FileChangePrompt;
  card: Card | null;
  isShown: boolean;
  choose: (scope: Scope | null) => void;
}

/** How far a yes reaches: once, for this task, or always. Each option says what it covers before it is chosen. */
export function ScopeMenu({ request, prompt, card, isShown, choose }: ScopeMenuProps) {
  const t = texts.value;
  const name = useId();
  const [chosen, setChosen] = useState("once");
  const offered = (prompt.offers ?? []).filter((offer): offer is Granting => offer.grant !== undefined);
  const forTask = offered.filter(({ scope }) => scope === "task");
  const always = prompt.consent ? undefined : offered.find(({ scope }) => scope === "rule");
  const matches = useMatches(request, forTask, isShown);
  if (forTask.length === 0 && !always && !prompt.consent) return null;
  const agent = card ? agentLook(card.agent).name : "";

  const pick = (id: string, scope: Scope | null): void => {
    setChosen(id);
    choose(scope);
  };
  const option = (id: string, title: string, hint: string, scope: Scope | null, more?: string) => (
    <label key={id} class={`scope-option ${chosen === id ? "on" : ""}`}>
      <input type="radio" name={name} checked={chosen === id} onChange={() => pick(id, scope)} />
      <b>{title}</b>
      <span class="faint">{hint}</span>
      {more && <small>{more}</small>}
    </label>
  );
  return (
    <fieldset class="scope">
      <legend class="unseen">{t.card.scope}</legend>
      {option("once", justThis(prompt, card), "", null)}
      {forTask.map((offer, at) => {
        const match = matches[at];
        const where = t.card.within(projectName(offer.grant.project ?? ""));
        const covered = `${t.card.may(agent, coverage(offer.grant, t.card), where)}${match ? `${t.betweenSentences}${t.card.files(match.count, match.isWhole)}` : ""}`;
        return option(`task-${at}`, t.card.thisTask(titleOf(offer)), t.card.endsWithTask, { reach: { scope: "task", grant: offer.grant }, yes: t.card.allowTask }, visible(covered));
      })}
      {prompt.consent && option("tool", t.card.alwaysTool, "", { reach: { scope: "rule", covers: "tool" }, yes: t.card.allowAlways })}
      {prompt.consent && option("app", t.card.alwaysApp(visible(prompt.consent.appName)), "", { reach: { scope: "rule", covers: "app" }, yes: t.card.allowAlways })}
      {always && option("always", t.card.always, t.card.alwaysHint, { reach: null, yes: t.card.allowAlways })}
      {always && chosen === "always" && <GrantEditor request={request} offer={always} agent={agent} choose={(reach) => choose({ reach, yes: t.card.allowAlways })} />}
    </fieldset>
  );
}

function justThis(prompt: FileChangePrompt, card: Card | null): string {
  const { just } = texts.value.card;
  if (prompt.command !== undefined) return just.command;
  if (prompt.consent) return just.call;
  if (card) return WRITING.includes(actOfCard(card, prompt)) ? just.edit : just.action;
  return prompt.diff === undefined ? just.action : just.edit;
}

function titleOf({ grant, what }: Granting): string {
  return visible(grantTitle(grant, texts.value.card) || (what ?? ""));
}

/** How many files each of them covers today; undefined if it is one file or folder, or none. */
function useMatches(request: RequestEntry, offers: readonly Granting[], isShown: boolean): (Matches | undefined)[] {
  const [found, setFound] = useState<(Matches | undefined)[]>([]);
  useEffect(() => {
    if (!isShown || found.length || !offers.some(({ grant }) => isPattern(grant.path))) return;
    let isMeant = true;
    const ask = async ({ scope, grant }: Granting): Promise<Matches | undefined> => {
      if (!isPattern(grant.path)) return undefined;
      const preview = await postJson<{ files?: Matches }>(`/api/prompts/${encodeURIComponent(request.requestId)}/grant`, { scope, grant });
      return preview.files;
    };
    void Promise.all(offers.map((offer) => ask(offer).catch(() => undefined))).then((all) => isMeant && setFound(all));
    return () => { isMeant = false; };
  }, [isShown]);
  return found;
}
