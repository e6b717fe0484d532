import { useEffect, useState } from "preact/hooks";
import { readCalls } from "../../history/actions/calls";
import { toggle } from "../actions/steering";
import { callsById, chatTexts, isAsking, unfolded } from "../store";
import { hasWords } from "../../../logic/acts";
import { messageOf } from "../../../shell/failure";
import type { Call } from "../../history/logic/calls";
import type { Entry, ToolUse } from "../logic/chat";
import { argumentsText, hintBeside, hintOf } from "../logic/toolHint";
import { texts } from "../../../store";
import { CallEvidence } from "../../history/components/CallDetails";
import { OneSentence } from "../../history/components/Sentence";
import { EffectChip } from "../../../ui/Chip";
import { formatDuration } from "../../../ui/Moment";
import { Visible } from "../../../ui/Visible";

const STATES = { running: "running", success: "done", error: "failed" } as const;

/** A tool call in one line; opened, it shows arguments, result and evidence. */
export function ToolRow({ entry }: { entry: Entry }) {
  const t = chatTexts.value;
  const { tool, text } = entry;
  if (!tool) return null;
  const isOpen = unfolded.value.has(tool.executionId);
  const call = callsById.value.get(tool.executionId);
  const effect = tool.effect ?? call?.effect;
  const isRefused = call?.state === "denied";
  const reason = tool.status === "error" && !isRefused ? (text.split("\n")[0] ?? "") : "";
  const isWaiting = tool.status === "running" && isAsking.value;
  return (
    <div class="call tool-use" data-entry={tool.executionId}>
      <button type="button" class="call-summary" aria-expanded={isOpen} onClick={() => toggle(tool.executionId)}>
        {effect && <EffectChip effect={effect} />}
        <ToolSentence tool={tool} call={call} />
        <span class="call-end">
          <span class={`state ${STATES[tool.status]}`}>{isWaiting ? t.toolWaits : isRefused ? texts.value.states.denied : t.toolStates[tool.status]}</span>
          {call?.durationMs !== undefined && <span class="sub">{formatDuration(call.durationMs)}</span>}
        </span>
      </button>
      {reason && !isOpen && <p class="tool-reason"><Visible text={reason} /></p>}
      {isOpen && <Opened tool={tool} text={text} known={call} />}
    </div>
  );
}

/** What it does or did, in words. Tools of apps, servers and other agents have none: they are shown by their name. */
function ToolSentence({ tool, call }: { tool: ToolUse; call: Call | undefined }) {
  if (hasWords(tool.name) || texts.value.acts.tools[tool.name]) {
    const started = { seq: 0, ts: "", startedAt: "", executionId: tool.executionId, tool: tool.name, target: hintOf(tool.arguments), state: STATES[tool.status], ...(tool.effect ? { effect: tool.effect } : {}) };
    return <span class="tool-words" title={tool.name}><OneSentence call={call ?? started} /></span>;
  }
  const hint = hintBeside(tool.name, tool.arguments, call?.target);
  return (
    <>
      <span class="mono"><Visible text={tool.name} /></span>
      {hint && <span class="sub target"><Visible text={hint} /></span>}
    </>
  );
}

function Opened({ tool, text, known }: { tool: ToolUse; text: string; known: Call | undefined }) {
  const t = chatTexts.value;
  const argumentsJson = argumentsText(tool.arguments);
  return (
    <div class="tool-opened">
      {text && <><h3>{t.result}</h3><pre tabIndex={0}><Visible text={text} /></pre></>}
      {known ? <CallEvidence call={known} /> : <OlderCall executionId={tool.executionId} isOver={tool.status !== "running"} />}
      {argumentsJson && <details><summary>{t.arguments}</summary><pre tabIndex={0}><Visible text={argumentsJson} /></pre></details>}
    </div>
  );
}

/** A call that is older than what the console has loaded. */
function OlderCall({ executionId, isOver }: { executionId: string; isOver: boolean }) {
  const [found, setFound] = useState<Call | null | undefined>(undefined);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    readCalls({ execution: executionId }).then((all) => setFound(all[0] ?? null), (failure: unknown) => setProblem(messageOf(failure)));
  }, [isOver]);
  if (problem) return <p class="problem" role="alert">{problem}</p>;
  if (found === undefined) return <p class="nothing">{texts.value.loading}</p>;
  return found ? <CallEvidence call={found} /> : <p class="sub">{chatTexts.value.noRecord}</p>;
}
