import { useEffect, useState } from "preact/hooks";
import { shownBrowser, shownTask, snapshots, tasks } from "../store";
import { pluginName } from "../logic/plugins";
import { withoutKeys } from "../../../logic/acts";
import { visible } from "../../../logic/visible";
import { isStale, windowTrees, type BrowserState, type Tab, type TabGroup, type WindowTree } from "../logic/windows";
import { texts } from "../../../store";
import { Chip } from "../../../ui/Chip";
import { Moment } from "../../../ui/Moment";
import { Visible } from "../../../ui/Visible";

const TICK_MS = 5000;

/** The windows, groups and tabs of one browser, current or from when it was last connected. */
export function Windows() {
  const t = texts.value.browser;
  const browser = shownBrowser.value;
  const state = browser && snapshots.value.of.get(browser.clientId);
  if (!browser) return null;
  return (
    <section class="card" aria-label={t.windows}>
      <h2>{t.windows} <span class="sub"><Visible text={pluginName(browser)} /></span></h2>
      {state && state.lastUpdated > 0 ? <Opened state={state} isConnected={browser.socketConnected} /> : <p class="nothing">{t.nothingTold}</p>}
    </section>
  );
}

function Opened({ state, isConnected }: { state: BrowserState; isConnected: boolean }) {
  const t = texts.value.browser;
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const ticking = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(ticking);
  }, []);
  const trees = windowTrees(state);
  const isOld = isStale(state, isConnected, Math.max(now, state.lastUpdated));
  return (
    <div class={isConnected ? "windows" : "windows away"}>
      {isOld && (
        <p class="sub">
          {!isConnected && <Chip text={t.stale} colour="bad" />} {isConnected ? t.unchangedSince : t.asOf} <Moment at={state.lastUpdated} />
        </p>
      )}
      {trees.length === 0 && <p class="nothing">{t.noWindows}</p>}
      {trees.map((tree) => <Window key={tree.window.windowId} tree={tree} />)}
    </div>
  );
}

function Window({ tree }: { tree: WindowTree }) {
  const t = texts.value.browser;
  return (
    <section class="window" aria-label={t.window(tree.tabCount)}>
      <h3>{t.window(tree.tabCount)}{tree.isActive && <span class="sub"> · {t.inFront}</span>}</h3>
      <ul class="branches">
        {tree.branches.map((branch) =>
          branch.kind === "tab" ? (
            <TabRow key={branch.tab.tabId} tab={branch.tab} />
          ) : (
            <li key={`group ${branch.group.id}`} class={`group ${branch.group.color}`}>
              <GroupName group={branch.group} />
              <ul class="branches">{branch.tabs.map((tab) => <TabRow key={tab.tabId} tab={tab} />)}</ul>
            </li>
          ),
        )}
      </ul>
    </section>
  );
}

function GroupName({ group }: { group: TabGroup }) {
  const t = texts.value.browser;
  return (
    <p class="group-name">
      <i class="swatch" aria-hidden="true" />
      <Visible text={group.title || t.unnamedGroup} />
      <span class="unseen">{t.groupColours[group.color] ?? visible(group.color)}</span>
    </p>
  );
}

export function TabRow({ tab }: { tab: Tab }) {
  const t = texts.value.browser;
  const task = tasks.value.find(({ taskId }) => taskId === tab.taskId);
  const isShown = tab.taskId !== undefined && tab.taskId === shownTask.value?.taskId;
  return (
    <li class={`tab ${tab.active ? "active" : ""} ${tab.taskId ? "owned" : ""} ${isShown ? "shown" : ""}`}>
      <i class={`favicon ${tab.status === "loading" ? "loading" : ""}`} aria-hidden="true" />
      <span class="tab-text">
        <span class="tab-title" title={visible(tab.title ?? "")}><Visible text={tab.title || tab.url || t.untitled} /></span>
        {tab.url && <span class="sub tab-url" title={visible(tab.url)}><Visible text={withoutKeys(tab.url)} /></span>}
      </span>
      <span class="tags">
        {tab.status === "loading" && <span class="sub">{t.loading}</span>}
        {tab.pinned && <span class="sub">{t.pinned}</span>}
        {tab.active && <span class="unseen">{t.inFront}</span>}
        {tab.taskId && <span title={t.taskTab(visible(task?.title || t.untitledTask))}><Chip text={t.ofTask} colour="ui" /></span>}
      </span>
    </li>
  );
}
