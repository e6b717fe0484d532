import type { ChoicePrompt, RequestEntry } from "@handrail/host";
import type { TargetedKeyboardEvent } from "preact";
import { useId, useState } from "preact/hooks";
import { checkSelection, choiceLimits, initialSelection, toggleOption } from "../logic/answers";
import { texts } from "../../../store";
import { AnswerForm } from "./AnswerForm";
import { focusBeside } from "../../../ui/focus";
import { Visible } from "../../../ui/Visible";

export function ChoiceForm({ request, prompt, isShown }: { request: RequestEntry; prompt: ChoicePrompt; isShown: boolean }) {
  const t = texts.value;
  const name = useId();
  const [selection, setSelection] = useState(() => initialSelection(prompt));
  const [hasTried, setHasTried] = useState(false);
  const [refused, setRefused] = useState("");
  const { min, max } = choiceLimits(prompt);
  const unfit = hasTried ? checkSelection(prompt, selection) : null;
  const problem = unfit ? t.problems[unfit] : refused;
  const isFull = prompt.multiple === true && selection.length >= max;

  // Radio buttons support arrow keys natively; checkboxes don't.
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    if (prompt.multiple) focusBeside(event, "input");
  };

  return (
    <AnswerForm
      request={request}
      isShown={isShown}
      yes={t.choose}
      no={t.cancel}
      onFieldErrors={(errors) => {
        const about = [...errors].filter(([field]) => field === "selection" || field.startsWith("selection."));
        setRefused(about.map(([, message]) => message).join(" "));
        return about.map(([field]) => field);
      }}
      collect={() => {
        setHasTried(true);
        if (checkSelection(prompt, selection)) return null;
        return { status: "ok", selection: prompt.multiple ? selection : (selection[0] ?? "") };
      }}
    >
      <fieldset class="options" onKeyDown={onKeyDown} aria-describedby={problem ? `${name}-problem` : `${name}-limits`}>
        <legend class={prompt.multiple ? "sub" : "unseen"} id={`${name}-limits`}>
          {prompt.multiple ? `${t.pickBetween(min, max)} · ${t.picked(selection.length)}` : t.pickBetween(1, 1)}
        </legend>
        {prompt.options.map((option) => {
          const isChosen = selection.includes(option.value);
          return (
            <label key={option.value} class="option">
              <input
                type={prompt.multiple ? "checkbox" : "radio"}
                name={name}
                checked={isChosen}
                disabled={isFull && !isChosen}
                aria-invalid={problem !== ""}
                onChange={() => {
                  setSelection(toggleOption(prompt, selection, option.value));
                  setRefused("");
                }}
              />
              <span>
                <Visible text={option.label || option.value} />
                {option.description && <span class="sub"><Visible text={option.description} /></span>}
              </span>
            </label>
          );
        })}
      </fieldset>
      {problem && <p class="problem" id={`${name}-problem`}>{problem}</p>}
    </AnswerForm>
  );
}
