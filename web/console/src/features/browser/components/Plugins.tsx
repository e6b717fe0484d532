import { useState } from "preact/hooks";
import { chooseBrowser, useForNewTasks } from "../actions";
import { extension, isHereConnected, plugins, shownBrowser } from "../store";
import { messageOf } from "../../../shell/failure";
import { distinctName, healthOf, inRows, preferredPlugin, type Plugin } from "../logic/plugins";
import { visible } from "../../../logic/visible";
import { texts } from "../../../store";
import { Chip } from "../../../ui/Chip";
import { Facts } from "../../../ui/Facts";
import { Moment } from "../../../ui/Moment";
import { Visible } from "../../../ui/Visible";
import { Pairing } from "./Pairing";

/** All browsers that were ever connected: which are online and healthy, and which one a new task gets. */
export function Plugins() {
  const t = texts.value.browser;
  const [isPairing, setIsPairing] = useState(false);
  const [problem, setProblem] = useState("");
  const all = inRows(plugins.value);
  const preferred = preferredPlugin(all);
  const here = extension.value;
  const canPairHere = here !== null && here !== "unknown" && !isHereConnected.value;

  async function use({ clientId }: Plugin): Promise<void> {
    setProblem("");
    await useForNewTasks(clientId).catch((failure: unknown) => setProblem(messageOf(failure)));
  }

  return (
    <section class="card" aria-label={t.browsers}>
      <h2>{t.browsers}</h2>
      <ul class="plugins">
        {all.map((plugin) => (
          <PluginRow key={plugin.clientId} plugin={plugin} isOnly={all.length === 1} isMeant={plugin === preferred} isHere={here !== "unknown" && here?.clientId === plugin.clientId} onUse={() => void use(plugin)} />
        ))}
      </ul>
      {problem && <p class="problem" role="alert">{problem}</p>}
      {isPairing || canPairHere || all.length === 0 ? (
        <Pairing />
      ) : (
        <p class="row"><button type="button" class="quiet" onClick={() => setIsPairing(true)}>{t.connectAnother}</button></p>
      )}
    </section>
  );
}

interface Row {
  plugin: Plugin;
  isOnly: boolean;
  isHere: boolean;
  isMeant: boolean;
  onUse: () => void;
}

function PluginRow({ plugin, isOnly, isHere, isMeant, onUse }: Row) {
  const t = texts.value;
  const name = distinctName(plugin, plugins.value);
  const health = healthOf(plugin);
  const isShown = shownBrowser.value?.clientId === plugin.clientId;
  return (
    <li class={`plugin ${health}`} aria-current={isShown && !isOnly ? "true" : undefined}>
      <p class="plugin-head">
        <i class="dot" aria-hidden="true" />
        {isOnly ? (
          <span class="plugin-name"><Visible text={name} /></span>
        ) : (
          <button type="button" class="plugin-name" aria-pressed={isShown} aria-label={t.browser.showsWindows(visible(name))} onClick={() => chooseBrowser(plugin.clientId)}><Visible text={name} /></button>
        )}
        <span class="sub">{t.browser.health[health]}</span>
      </p>
      {(isHere || (plugin.selected && !isOnly)) && (
        <p class="tags">
          {isHere && <Chip text={t.thisBrowser} colour="good" />}
          {plugin.selected && !isOnly && <Chip text={t.browser.newTasksHere} colour="ui" />}
        </p>
      )}
      {!isOnly && (
        <label class="check">
          <input type="radio" name="new-tasks" checked={isMeant} aria-label={t.browser.useForNewTasksOf(visible(name))} onChange={onUse} />
          {isMeant && !plugin.socketConnected ? t.browser.newTasksWhenThere : t.browser.useForNewTasks}
        </label>
      )}
      {health === "unwell" && <p class="problem">{t.browser.unwellHint}</p>}
      <Facts
        facts={[
          [t.browser.extension, [plugin.extensionName, plugin.version].filter(Boolean).join(" ")],
          [t.browser.client, plugin.clientId],
          [t.browser.lastSeen, health !== "connected" && plugin.lastSeenAt > 0 && <Moment at={plugin.lastSeenAt} />],
        ]}
      />
    </li>
  );
}
