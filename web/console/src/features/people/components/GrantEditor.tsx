import type { Grant, Offer, RequestEntry } from "@handrail/host";
import { postJson } from "@handrail/host";
import { useEffect, useRef, useState } from "preact/hooks";
import { typedText } from "../../../logic/acts";
import { visible } from "../../../logic/visible";
import { projectName } from "../../../shell/projects";
import { fieldErrorsOf, messageOf } from "../../../shell/failure";
import { texts } from "../../../store";
import { Facts } from "../../../ui/Facts";
import { Moment } from "../../../ui/Moment";
import { Field, Select } from "../../../ui/Field";
import { Visible } from "../../../ui/Visible";
import { editedGrant, pathPatterns, placePatterns, type Edit, type End } from "../logic/grants";
import { coverage } from "../logic/card";
import type { Reach } from "./AnswerForm";

const TYPING_MS = 250;
const OWN = "own";
const ENDS: readonly End[] = ["none", "month", "day", "hour"];

/** The server's view of an edit: the exact grant, in words and as a rule, and the files it covers today. */
interface Preview extends Offer {
  grant: Grant;
  needsPresence: boolean;
  rule?: Record<string, string | boolean>;
  files?: { count: number; names: string[]; isWhole: boolean };
}

/** How far "always" reaches, chosen freely; what is sent is what the preview shows. */
export function GrantEditor({ request, offer, agent, choose: chooseReach }: { request: RequestEntry; offer: Offer & { grant: Grant }; agent: string; choose: (reach: Reach | null) => void }) {
  const t = texts.value.editor;
  const { path, place } = offer.grant;
  const patterns = path !== undefined ? pathPatterns(path) : place !== undefined ? placePatterns(place) : [];
  const [edit, setEdit] = useState<Edit>({ where: patterns[0] ?? "", everyProject: false, everyAgent: false, end: "none" });
  const [isOwn, setIsOwn] = useState(false);
  const { preview, problems, error } = usePreview(request, offer, edit);
  // What is sent is what is shown; nothing while the preview isn't known.
  useEffect(() => chooseReach(preview && { scope: offer.scope, grant: preview.grant }), [preview]);
  const change = (part: Partial<Edit>): void => setEdit({ ...edit, ...part });

  function choose(value: string): void {
    setIsOwn(value === OWN);
    if (value !== OWN) change({ where: value });
  }

  return (
    <fieldset class="grant-editor">
      <legend class="unseen">{t.title}</legend>
      <Facts facts={[[t.tools, offer.grant.tools.join(", ")], [t.fixed, offer.grant.app ?? (offer.grant.command && (typedText(offer.grant.command) ?? offer.grant.command)) ?? offer.grant.server]]} />
      {patterns.length > 0 && (
        <Select label={path === undefined ? t.place : t.path} value={isOwn ? OWN : edit.where} onChange={choose} options={[...patterns.map((each) => [each, each] as const), [OWN, t.ownPattern]]} />
      )}
      {isOwn && <Field label={t.pattern} value={edit.where} onInput={(where) => change({ where })} description={t.patternHint} problem={problems.get("grant.path") ?? problems.get("grant.place")} />}
      <div class="halves">
        <Select label={t.project} value={edit.everyProject ? "all" : "this"} onChange={(value) => change({ everyProject: value === "all" })} options={[["this", t.thisProject], ["all", t.allProjects]]} problem={problems.get("grant.project")} />
        <Select label={t.who} value={edit.everyAgent ? "all" : "this"} onChange={(value) => change({ everyAgent: value === "all" })} options={[["this", t.thisAgent], ["all", t.allAgents]]} problem={problems.get("grant.identity")} />
        <Select label={t.until} value={edit.end} onChange={(end) => change({ end: end as End })} options={ENDS.map((end) => [end, t.ends[end]] as const)} problem={problems.get("grant.until")} />
      </div>
      {error && <p class="problem" role="alert">{error}</p>}
      {preview && <Shown preview={preview} agent={agent} />}
    </fieldset>
  );
}

function Shown({ preview, agent }: { preview: Preview; agent: string }) {
  const t = texts.value;
  const { files, grant } = preview;
  const where = grant.project === "*" ? t.card.everyProject : t.card.within(projectName(grant.project ?? ""));
  const who = grant.identity === "*" ? t.card.everyAgent : agent;
  return (
    <div class="grant-preview" role="status">
      <p>{visible(t.card.may(who, coverage(grant, t.card), where))}</p>
      <p class="sub">{grant.until === undefined ? t.card.untilRemoved : <>{t.offerUntil} <Moment at={grant.until} /></>}</p>
      {files && <p>{t.card.files(files.count, files.isWhole)} <span class="sub"><Visible text={files.names.join(", ")} />{files.count > files.names.length && " …"}</span></p>}
      {preview.needsPresence && <p class="sub">{t.editor.needsPresence}</p>}
      {preview.rule && <details><summary>{t.editor.rule}</summary><pre tabIndex={0}><Visible text={Object.entries(preview.rule).map(([name, value]) => `${name} = ${JSON.stringify(value)}`).join("\n")} /></pre></details>}
    </div>
  );
}

/** Null while the server hasn't processed the last edit: nothing is sent that wasn't shown. */
function usePreview(request: RequestEntry, offer: Offer & { grant: Grant }, edit: Edit): { preview: Preview | null; problems: ReadonlyMap<string, string>; error: string } {
  const [preview, setPreview] = useState<Preview | null>(null);
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const [error, setError] = useState("");
  const number = useRef(0);
  useEffect(() => {
    const mine = ++number.current;
    setPreview(null);
    const asking = setTimeout(() => {
      postJson<Preview>(`/api/prompts/${encodeURIComponent(request.requestId)}/grant`, { scope: offer.scope, grant: editedGrant(offer.grant, edit, Date.now()) }).then(
        (found) => {
          if (mine !== number.current) return;
          setProblems(new Map());
          setError("");
          setPreview(found);
        },
        (failure: unknown) => {
          if (mine !== number.current) return;
          setProblems(fieldErrorsOf(failure));
          setError(messageOf(failure));
        },
      );
    }, TYPING_MS);
    return () => clearTimeout(asking);
  }, [edit.where, edit.everyProject, edit.everyAgent, edit.end]);
  return { preview, problems, error };
}
