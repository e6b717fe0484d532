import { useEffect, useRef, useState } from "preact/hooks";
import { goTo } from "../../actions/address";
import { open } from "../../chat/following";
import { attach, keepDraft, newTask, send } from "../../chat/saying";
import { change } from "../../chat/steering";
import { asked, chatTexts, conversation, drafts, models, wantedMode, wantedModel } from "../../chat/store";
import { messageOf } from "../../failure";
import type { Attachment, Mode } from "../../logic/chat";
import { visible } from "../../logic/visible";
import { Icon } from "../Icon";

/** A person's words, with files, a mode and a model. Without a task they begin one. */
export function Composer({ taskId }: { taskId: string }) {
  const t = chatTexts.value;
  const field = useRef<HTMLTextAreaElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const fresh = useRef("");
  const [attached, setAttached] = useState<readonly Attachment[]>([]);
  const [uploading, setUploading] = useState("");
  const [problem, setProblem] = useState("");
  const text = drafts.value.get(taskId) ?? "";
  const run = taskId ? conversation.value.run : null;
  const isAtWork = run?.status === "running" && asked.value.length === 0;
  const canSend = text.trim() !== "" && uploading === "" && !isAtWork;

  // As high as what is in it, up to a limit that the style sets.
  useEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight + 2}px`;
  }, [text]);
  useEffect(() => field.current?.focus({ preventScroll: true }), []);

  const taskOrNew = async (): Promise<string> => taskId || (fresh.current ||= await newTask());
  const during = (work: Promise<void>): void => {
    setProblem("");
    work.catch((failure: unknown) => setProblem(messageOf(failure)));
  };

  async function submit(): Promise<void> {
    if (!canSend) return;
    const [words, withFiles] = [text, attached];
    const id = await taskOrNew();
    const wanted = [wantedMode.value, wantedModel.value] as const;
    if (!taskId) {
      await open(id, true);
      [wantedMode.value, wantedModel.value] = wanted;
    }
    keepDraft(taskId, "");
    setAttached([]);
    const sending = send(id, words, withFiles);
    if (!taskId) goTo("chat", id);
    await sending;
  }

  async function upload(chosen: readonly File[]): Promise<void> {
    try {
      for (const file of chosen) {
        setUploading(file.name);
        const one = await attach(await taskOrNew(), file);
        setAttached((before) => [...before, one]);
      }
    } finally {
      setUploading("");
    }
  }

  return (
    <form class="composer" onSubmit={(event) => { event.preventDefault(); during(submit()); }}>
      {problem && <p class="problem" role="alert">{problem}</p>}
      <div
        class="composer-box"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => { event.preventDefault(); during(upload([...(event.dataTransfer?.files ?? [])])); }}
      >
        {(attached.length > 0 || uploading) && (
          <p class="tags attachments">
            {attached.map((one) => (
              <span key={one.id} class="chip">{visible(one.name)}
                <button type="button" aria-label={t.detach(visible(one.name))} title={t.detach(visible(one.name))} onClick={() => setAttached(attached.filter((other) => other !== one))}><Icon name="remove" /></button>
              </span>
            ))}
            {uploading && <span class="sub" role="status">{t.attaching(visible(uploading))}</span>}
          </p>
        )}
        <textarea
          ref={field}
          rows={1}
          value={text}
          placeholder={t.composer}
          aria-label={t.composerLabel}
          title={t.composerHint}
          onInput={(event) => keepDraft(taskId, event.currentTarget.value)}
          onPaste={(event) => { const pasted = [...(event.clipboardData?.files ?? [])]; if (pasted.length) { event.preventDefault(); during(upload(pasted)); } }}
          onKeyDown={(event) => {
            if (event.key === "Escape") field.current?.blur();
            // While a word is being composed, Enter belongs to the input method.
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            during(submit());
          }}
        />
        <div class="composer-bar">
          <button type="button" class="icon-button" aria-label={t.attach} title={t.attach} onClick={() => files.current?.click()}><Icon name="clip" /></button>
          <input ref={files} type="file" multiple hidden onChange={(event) => { const input = event.currentTarget; const chosen = [...(input.files ?? [])]; input.value = ""; during(upload(chosen)); }} />
          <ModeSwitch taskId={taskId} fail={setProblem} />
          <ModelSwitch taskId={taskId} fail={setProblem} />
          <button type="submit" class="primary send" disabled={!canSend} aria-label={t.send} title={`${t.send} (Enter)`}><Icon name="send" /></button>
        </div>
      </div>
    </form>
  );
}

interface SwitchProps {
  taskId: string;
  fail: (problem: string) => void;
}

function ModeSwitch({ taskId, fail }: SwitchProps) {
  const t = chatTexts.value;
  const mode: Mode = wantedMode.value ?? (taskId ? conversation.value.run?.mode : undefined) ?? "act";
  return (
    <div class="mode-switch" role="group" aria-label={t.mode}>
      {(["plan", "act"] as const).map((one) => (
        <button key={one} type="button" aria-pressed={mode === one} title={t.modeHints[one]} onClick={() => void change(taskId, { mode: one }).catch((failure: unknown) => fail(messageOf(failure)))}>{t.modes[one]}</button>
      ))}
    </div>
  );
}

function ModelSwitch({ taskId, fail }: SwitchProps) {
  const t = chatTexts.value;
  const known = models.value;
  if (!known) return null;
  const chosen = wantedModel.value ?? (taskId ? conversation.value.run?.model : undefined) ?? "";
  const names = known.models.filter(({ hasKey, name }) => hasKey && name !== known.current).map(({ name }) => name);
  const offered = chosen && chosen !== known.current && !names.includes(chosen) ? [chosen, ...names] : names;
  return (
    <select class="model-switch" aria-label={t.model} value={chosen === known.current ? "" : chosen} onChange={(event) => void change(taskId, { model: event.currentTarget.value }).catch((failure: unknown) => fail(messageOf(failure)))}>
      <option value="">{t.standard(known.current)}</option>
      {offered.map((name) => <option key={name} value={name}>{visible(name)}</option>)}
    </select>
  );
}
