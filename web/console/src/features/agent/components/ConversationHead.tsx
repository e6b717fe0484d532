import { useState } from "preact/hooks";
import { goTo } from "../../../shell/address";
import { rename, controlRun } from "../actions/steering";
import { chatTexts, conversation, isAsking as isAskingNow, isCaged, shownTask } from "../store";
import { messageOf } from "../../../shell/failure";
import { Icon } from "../../../ui/Icon";
import { Visible } from "../../../ui/Visible";

interface TalkHeadProps {
  taskId: string;
  isBesideOpen: boolean;
  toggleBeside: () => void;
}

/** The task's name, the state of its run, and the controls. */
export function ConversationHead({ taskId, isBesideOpen, toggleBeside }: TalkHeadProps) {
  const t = chatTexts.value;
  const [problem, setProblem] = useState("");
  const [isNaming, setIsNaming] = useState(false);
  const title = shownTask.value?.title || t.untitled;
  const { status, canResume = status === "paused" || status === "ended" } = conversation.value.run ?? {};
  const isAsking = isAskingNow.value;
  const isCompleted = status === "waiting" && shownTask.value?.status === "completed";

  const act = (work: Promise<void>): void => {
    setProblem("");
    work.catch((failure: unknown) => setProblem(messageOf(failure)));
  };
  const steering = (verb: "stop" | "pause" | "resume", icon: "stop" | "pause" | "play") => (
    <button type="button" class="plain steer" aria-label={t[verb]} title={t[verb]} onClick={() => act(controlRun(taskId, verb))}><Icon name={icon} /><span>{t[verb]}</span></button>
  );

  return (
    <header class="page-head talk-head">
      <a class="icon-button to-tasks" href="#/chat" aria-label={t.showTasks} title={t.showTasks}><Icon name="left" /></a>
      {isNaming ? (
        <TitleField title={shownTask.value?.title ?? ""} end={(name) => { setIsNaming(false); if (name) act(rename(taskId, name)); }} />
      ) : (
        <>
          <h1><Visible text={title} /></h1>
          {shownTask.value && <button type="button" class="icon-button rename" aria-label={t.renameOf(title)} title={t.rename} onClick={() => setIsNaming(true)}><Icon name="edit" /></button>}
        </>
      )}
      {status && <span class={`run-state ${isAsking ? "waiting" : isCompleted ? "completed" : status}`} role="status"><i class="dot" aria-hidden="true" />{isAsking ? t.waitsForYou : isCompleted ? t.completed : t.runs[status]}</span>}
      <div class="talk-tools">
        {status === "running" && !isCaged.value && steering("pause", "pause")}
        {status === "running" && steering("stop", "stop")}
        {canResume && steering("resume", "play")}
        {status === "paused" && steering("stop", "stop")}
        <button type="button" class="icon-button" aria-label={t.replay} title={t.replay} onClick={() => goTo("history", `replay:task:${taskId}`)}><Icon name="film" /></button>
        <button type="button" class="icon-button" aria-pressed={isBesideOpen} aria-label={isBesideOpen ? t.hideBeside : t.showBeside} title={isBesideOpen ? t.hideBeside : t.showBeside} onClick={toggleBeside}><Icon name="side" /></button>
      </div>
      {problem && <p class="problem talk-problem" role="alert">{problem}</p>}
    </header>
  );
}

function TitleField({ title, end }: { title: string; end: (name: string) => void }) {
  const [name, setName] = useState(title);
  return (
    <form class="naming" onSubmit={(event) => { event.preventDefault(); end(name.trim()); }}>
      <input
        ref={(input) => input?.focus()}
        aria-label={chatTexts.value.newName}
        value={name}
        maxLength={200}
        onInput={(event) => setName(event.currentTarget.value)}
        onBlur={() => end("")}
        onKeyDown={(event) => event.key === "Escape" && end("")}
      />
    </form>
  );
}
