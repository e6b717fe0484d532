import { useState } from "preact/hooks";
import { handBack, takeOver } from "../../browser/actions";
import { plugins, shownTask as followedTask, lastView, snapshots } from "../../browser/store";
import { chatTexts, conversation, isCaged, models, modelTitle, shownTask } from "../store";
import { messageOf } from "../../../shell/failure";
import { canHandBack, canTakeOver } from "../../browser/logic/browserTasks";
import { checklist, confirmedPlan } from "../logic/plan";
import { pluginName } from "../../browser/logic/plugins";
import { artifactUrl, hasPicture } from "../../browser/logic/pageView";
import { visible } from "../../../logic/visible";
import { history } from "../../people/store";
import { language, texts } from "../../../store";
import { TickMark } from "../../../ui/TickMark";
import { TakenOver } from "../../browser/components/TakenOver";
import { TabRow } from "../../browser/components/Windows";
import { Enlargeable } from "../../../ui/Enlargeable";
import { Facts } from "../../../ui/Facts";
import { ServerFileLink } from "../../../ui/ServerFileLink";
import { ServerImage } from "../../../ui/ServerImage";
import { Visible } from "../../../ui/Visible";
import { Limits } from "./Limits";
import "../../browser/browser.css";

/** The browser's live tabs of this task, its plan, and its usage. */
export function TaskSidebar({ taskId }: { taskId: string }) {
  const t = chatTexts.value;
  return (
    <section class="beside" aria-label={t.beside} tabIndex={0} data-scroller>
      <Tabs taskId={taskId} />
      <Plan taskId={taskId} />
      <Usage taskId={taskId} />
      <p><ServerFileLink class="report-link" url={`/api/report/${encodeURIComponent(taskId)}`} name={`handrail-${taskId}.html`}>{texts.value.downloadReport}</ServerFileLink></p>
    </section>
  );
}

function Tabs({ taskId }: { taskId: string }) {
  const t = chatTexts.value;
  const b = texts.value.browser;
  const task = shownTask.value;
  const [problem, setProblem] = useState("");
  const browser = plugins.value.find(({ clientId }) => clientId === task?.selectedClientId);
  const tabs = browser ? (snapshots.value.of.get(browser.clientId)?.tabs.filter((tab) => tab.taskId === taskId) ?? []) : [];
  const isAnyConnected = plugins.value.some(({ socketConnected }) => socketConnected);
  const view = followedTask.value?.taskId === taskId ? lastView.value : null;
  const act = (work: Promise<void>): void => {
    setProblem("");
    work.catch((failure: unknown) => setProblem(messageOf(failure)));
  };
  return (
    <section class="beside-part" aria-label={t.browser}>
      <h2>{t.browser}{browser && <span class="sub"> · <Visible text={pluginName(browser)} /></span>}</h2>
      {task && <TakenOver task={task} act={act} />}
      {tabs.length > 0 ? <ul class="branches">{tabs.map((tab) => <TabRow key={tab.tabId} tab={tab} />)}</ul> : <p class="sub">{isAnyConnected ? t.noTabs : <>{t.noBrowser} <a href="#/browser">{t.connectBrowser}</a></>}</p>}
      {hasPicture(view) && (
        <Enlargeable label={b.pictureOf(visible(view.url ?? ""))}><ServerImage url={artifactUrl(view.artifactId)} alt={b.pictureOf(visible(view.url ?? ""))} width={view.width} height={view.height} /></Enlargeable>
      )}
      {task && tabs.length > 0 && (
        <p class="row">
          {canTakeOver(task) && <button type="button" class="plain" onClick={() => act(takeOver(taskId))}>{b.takeOver}</button>}
          {canHandBack(task) && <button type="button" class="primary" onClick={() => act(handBack(taskId))}>{b.handBack}</button>}
        </p>
      )}
      {problem && <p class="problem" role="alert">{problem}</p>}
    </section>
  );
}

function Plan({ taskId }: { taskId: string }) {
  const t = chatTexts.value;
  const steps = checklist(confirmedPlan(history.value, taskId), conversation.value.entries);
  if (steps.length === 0) return null;
  return (
    <section class="beside-part" aria-label={t.plan}>
      <h2>{t.plan}</h2>
      <ul class="plan">
        {steps.map(({ title, details, state }, at) => (
          <li key={at} class={state}>
            <TickMark tick={state} />
            <span><Visible text={title} />{details && <span class="sub plan-details"><Visible text={details} /></span>}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Usage({ taskId }: { taskId: string }) {
  const t = chatTexts.value;
  const run = conversation.value.run;
  if (!run || isCaged.value) return null;
  const model = run.model || models.value?.current;
  const { inputTokens, outputTokens, cost, estimated } = run.usage;
  const count = (tokens: number): string => t.tokens(new Intl.NumberFormat(language.value).format(tokens));
  const exact = cost === undefined || cost === null ? t.unknownCost : new Intl.NumberFormat(language.value, { style: "currency", currency: "USD", maximumFractionDigits: 4 }).format(cost);
  const price = estimated && exact !== t.unknownCost ? t.about(exact) : exact;
  return (
    <section class="beside-part" aria-label={t.usage}>
      <h2>{t.usage}</h2>
      <Facts facts={[[t.model, model && <span title={model}>{modelTitle(model)}</span>], [t.tokensIn, count(inputTokens)], [t.tokensOut, count(outputTokens)], [t.cost, price]]} />
      <Limits taskId={taskId} run={run} />
    </section>
  );
}
