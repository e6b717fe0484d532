import { useEffect, useRef, useState } from "preact/hooks";
import { goTo } from "../../../shell/address";
import { claimNextTaskId } from "../actions/newTask";
import { draftOf, giveBack, keepDraft } from "../actions/drafts";
import { open } from "../actions/following";
import { newMessageId, send } from "../actions/sending";
import { chatTexts, conversation, isAsking, takesWords, wantedMode, wantedModel } from "../store";
import { upload, uploadsOf } from "../actions/uploading";
import { messageOf } from "../../../shell/failure";
import { visible } from "../../../logic/visible";
import { Icon } from "../../../ui/Icon";
import { EffortSwitch, ModelSwitch, ModeSwitch } from "./Switches";

/** Where a person types a message, with files, a mode and a model. Without a task, it starts one. */
export function Composer({ taskId }: { taskId: string }) {
  const t = chatTexts.value;
  const field = useRef<HTMLTextAreaElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const isSubmitting = useRef(false);
  const [problem, setProblem] = useState("");
  const { text, attachments, begins, id: sentBefore } = draftOf(taskId);
  const [uploading] = uploadsOf(taskId);
  const run = taskId ? conversation.value.run : null;
  const isAtWork = run?.status === "running" && !takesWords.value;
  // An approval is answered first: a message beside it could be mistaken for the answer.
  const canSend = text.trim() !== "" && uploading === undefined && !(isAtWork && isAsking.value);

  /** Nothing can be sent before the answer, so that the question gets the room. */
  const isStill = isAtWork && isAsking.value && text === "" && attachments.length === 0 && uploading === undefined;

  // As high as its content, up to a limit in the style sheet; newer browsers do this themselves.
  useEffect(() => {
    const element = field.current;
    if (!element || CSS.supports("field-sizing", "content")) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight + 2}px`;
  }, [text]);
  useEffect(() => field.current?.focus({ preventScroll: true }), []);

  const during = (work: Promise<void>): void => {
    setProblem("");
    work.catch((failure: unknown) => setProblem(messageOf(failure)));
  };

  async function submit(): Promise<void> {
    if (!canSend || isSubmitting.current) return;
    isSubmitting.current = true;
    const messageId = sentBefore ?? newMessageId();
    // What is typed from now on belongs to the next message.
    const owner = taskId ? Promise.resolve(taskId) : claimNextTaskId();
    keepDraft(taskId, { text: "", attachments: [] });
    try {
      const id = await owner;
      const choice = [wantedMode.value, wantedModel.value] as const;
      if (!taskId) {
        await open(id, true);
        [wantedMode.value, wantedModel.value] = choice;
      }
      const sending = send(id, text, attachments, messageId);
      if (!taskId) goTo("chat", id);
      await sending;
    } catch (failure) {
      giveBack(taskId, { id: messageId, text, attachments, ...(begins ? { begins } : {}) });
      throw failure;
    } finally {
      isSubmitting.current = false;
    }
  }

  return (
    <form class="composer" onSubmit={(event) => { event.preventDefault(); during(submit()); }}>
      {problem && <p class="problem" role="alert">{problem}</p>}
      <div
        class="composer-box"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => { event.preventDefault(); during(upload(taskId, [...(event.dataTransfer?.files ?? [])])); }}
      >
        {(attachments.length > 0 || uploading) && (
          <p class="tags attachments">
            {attachments.map((one) => (
              <span key={one.id} class="chip">{visible(one.name)}
                <button type="button" aria-label={t.detach(visible(one.name))} title={t.detach(visible(one.name))} onClick={() => keepDraft(taskId, { attachments: attachments.filter((other) => other !== one) })}><Icon name="remove" /></button>
              </span>
            ))}
            {uploading && <span class="sub" role="status">{t.attaching(visible(uploading.name))}</span>}
          </p>
        )}
        <textarea
          ref={field}
          rows={1}
          value={text}
          placeholder={isAtWork && isAsking.value ? t.answerFirst : isAtWork ? t.atWorkHint : takesWords.value ? t.composerAnswer : t.composer}
          aria-label={t.composerLabel}
          title={t.composerHint}
          onInput={(event) => keepDraft(taskId, { text: event.currentTarget.value })}
          onPaste={(event) => { const pasted = [...(event.clipboardData?.files ?? [])]; if (pasted.length) { event.preventDefault(); during(upload(taskId, pasted)); } }}
          onKeyDown={(event) => {
            if (event.key === "Escape") field.current?.blur();
            // During text composition, Enter belongs to the input method.
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            during(submit());
          }}
        />
        <div class="composer-bar" hidden={isStill}>
          <button type="button" class="icon-button" aria-label={t.attach} title={t.attach} onClick={() => files.current?.click()}><Icon name="clip" /></button>
          <input ref={files} type="file" multiple hidden onChange={(event) => { const input = event.currentTarget; const chosen = [...(input.files ?? [])]; input.value = ""; during(upload(taskId, chosen)); }} />
          <ModeSwitch taskId={taskId} fail={setProblem} />
          <ModelSwitch taskId={taskId} fail={setProblem} />
          <EffortSwitch fail={setProblem} />
          <button type="submit" class="primary send" disabled={!canSend} aria-label={t.send} title={`${t.send} (Enter)`}><Icon name="send" /></button>
        </div>
      </div>
    </form>
  );
}
