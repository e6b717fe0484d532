import { useEffect, useState } from "preact/hooks";
import { callApp, readApp } from "../actions";
import { messageOf } from "../../../shell/failure";
import { type AppDetails, type AppTool, type Consent, consentsFor, lastCallsOf, type ListedApp } from "../logic/apps";
import { calls } from "../../history/store";
import { texts } from "../../../store";
import { CallRow } from "../../history/components/CallRow";
import { Chip } from "../../../ui/Chip";
import { Facts } from "../../../ui/Facts";
import { ToolForm } from "../../tools/components/ToolForm";
import { Visible } from "../../../ui/Visible";
import { Consents } from "./Consents";
import { SignInCard } from "./SignInCard";
import { words } from "../words";

interface AppCardProps {
  app: ListedApp;
  consents: readonly Consent[];
  setConsents: (consents: Consent[]) => void;
}

export function AppCard({ app, consents, setConsents, isOnlyOne }: AppCardProps & { isOnlyOne: boolean }) {
  const t = words.value;
  const [isOpen, setIsOpen] = useState(isOnlyOne);
  return (
    <div class="call">
      <button type="button" class="call-summary" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <strong><Visible text={app.name} /></strong>
        <span class="mono sub"><Visible text={app.id} /></span>
        <span class="call-end"><span class="sub">{t.tools(app.tools.length)}</span></span>
      </button>
      {isOpen && <Opened app={app} consents={consentsFor(consents, app.id)} setConsents={setConsents} />}
    </div>
  );
}

function Opened({ app: { id }, consents, setConsents }: AppCardProps) {
  const t = texts.value;
  const [app, setApp] = useState<AppDetails | null>(null);
  const [error, setError] = useState("");
  const [openCall, setOpenCall] = useState<string | null>(null);
  useEffect(() => void readApp(id).then(setApp, (failure: unknown) => setError(messageOf(failure))), []);
  const recentCalls = lastCallsOf(calls.value, id);
  if (!app) return <div class="call-details">{error ? <p class="problem" role="alert">{error}</p> : <p class="nothing">{t.loading}</p>}</div>;
  return (
    <div class="call-details">
      <p><Visible text={app.description} /></p>
      {app.auth.type !== "none" && <SignInCard app={app} setApp={setApp} />}
      <h3>{words.value.itsTools}</h3>
      {app.tools.map((tool) => <ToolCard key={tool.name} app={id} tool={tool} />)}
      <h3>{words.value.consents}</h3>
      <Consents consents={consents} setConsents={setConsents} isOfOneApp />
      <h3>{words.value.lastCalls}</h3>
      {recentCalls.length === 0 && <p class="sub">{words.value.noCalls}</p>}
      {recentCalls.length > 0 && (
        <div role="list" aria-label={words.value.lastCalls}>
          {recentCalls.map((call) => (
            <CallRow key={call.executionId} call={call} isOpen={openCall === call.executionId} toggle={(each) => setOpenCall(openCall === each ? null : each)} />
          ))}
        </div>
      )}
      <details>
        <summary>{words.value.details}</summary>
        <Facts facts={[[words.value.version, app.version], [words.value.reachedBy, `${app.execution.type} · ${app.execution.place}`], [words.value.descriptor, app.source]]} />
      </details>
    </div>
  );
}

function ToolCard({ app, tool }: { app: string; tool: AppTool }) {
  const t = texts.value;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div class="call">
      <button type="button" class="call-summary" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <span class="mono"><Visible text={tool.name} /></span>
        <span class="sub target"><Visible text={tool.description} /></span>
        {tool.idempotent && <Chip text={t.idempotent} />}
      </button>
      {isOpen && (
        <div class="call-details">
          <ToolForm schema={tool.parameters} call={(params) => callApp(app, tool.name, params)} />
          <details><summary>{t.inputSchema}</summary><pre tabIndex={0}><Visible text={JSON.stringify(tool.parameters, null, 2)} /></pre></details>
          {tool.returns && <details><summary>{t.outputSchema}</summary><pre tabIndex={0}><Visible text={JSON.stringify(tool.returns, null, 2)} /></pre></details>}
        </div>
      )}
    </div>
  );
}
