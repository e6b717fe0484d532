import { useEffect, useState } from "preact/hooks";
import { readApps, readConsents, readServers } from "../actions";
import { type DescriptorProblem, findApps } from "../logic/apps";
import { history } from "../../people/store";
import { texts } from "../../../store";
import { InlineCode } from "../../../ui/InlineCode";
import { PageHead } from "../../../ui/PageHead";
import { useLoaded } from "../../../ui/useLoaded";
import { Visible } from "../../../ui/Visible";
import { AppCard } from "./AppCard";
import { Consents } from "./Consents";
import { Servers } from "./Servers";
import "../apps.css";
import { words } from "../words";

/** The apps and MCP servers that agents may call: what they do, what is always allowed, where they are signed in. */
export function Apps() {
  const t = texts.value;
  const { data: found, error, again } = useLoaded(readApps);
  const { data: consents, error: unread, again: readConsentsAgain, replace } = useLoaded(readConsents);
  const { data: servers, again: readServersAgain } = useLoaded(readServers);
  const [search, setSearch] = useState("");
  const only = found?.apps.length === 1 ? found.apps[0] : undefined;
  /** Without apps there is nothing to list; the only app is open and lists its own. */
  const isListedAbove = (found?.apps.length === 0 && consents?.length === 0) || (only !== undefined && (consents ?? []).every(({ app }) => app === only.id));
  const shown = findApps(found?.apps ?? [], search);
  // An answer to a question may have been "always".
  useEffect(readConsentsAgain, [history.value.length]);
  return (
    <>
      <PageHead title={t.pages.apps} sub={found && servers ? `${words.value.count(found.apps.length)} · ${words.value.serverCount(servers.length)}` : undefined}>
        {(found?.apps.length ?? 0) > 0 && <input type="search" class="search" placeholder={words.value.filter} aria-label={words.value.filter} value={search} onInput={(event) => setSearch(event.currentTarget.value)} />}
        <button type="button" class="plain" onClick={() => { again(); readServersAgain(); readConsentsAgain(); }}>{words.value.readAgain}</button>
      </PageHead>
      <div class="page-body" data-scroller tabIndex={0} role="group" aria-label={t.pages.apps}>
        {[error, unread].filter(Boolean).map((problem) => <p key={problem} class="problem" role="alert">{problem}</p>)}
        {!found && !error && <p class="nothing">{t.loading}</p>}
        {found && found.problems.length > 0 && <Problems problems={found.problems} />}
        {found && found.apps.length === 0 && <p class="nothing">{words.value.none}{t.betweenSentences}<InlineCode text={words.value.noneHint} /></p>}
        {found && found.apps.length > 0 && shown.length === 0 && <p class="nothing">{t.noMatches}</p>}
        {shown.map((app) => <AppCard key={app.id} app={app} consents={consents ?? []} setConsents={replace} isOnlyOne={only !== undefined} />)}
        {servers && <Servers servers={servers} />}
        {consents && !isListedAbove && (
          <section class="surface" aria-label={words.value.consents}>
            <h2>{words.value.consents}</h2>
            <Consents consents={consents} setConsents={replace} />
          </section>
        )}
      </div>
    </>
  );
}

/** A broken descriptor hides only itself; its author wants to know why. */
function Problems({ problems }: { problems: readonly DescriptorProblem[] }) {
  const t = words.value;
  return (
    <section class="card app-problems" aria-label={t.problems}>
      <h2>{t.problems}</h2>
      <ul>
        {problems.map(({ source, field, reason }) => (
          <li key={`${source} ${field} ${reason}`}>
            <span class="mono"><Visible text={source} /></span>
            <p class="sub">{field && <><code><Visible text={field} /></code> </>}<Visible text={reason} /></p>
          </li>
        ))}
      </ul>
    </section>
  );
}
