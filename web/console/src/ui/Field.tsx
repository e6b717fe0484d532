import type { TargetedInputEvent } from "preact";
import { useId } from "preact/hooks";
import { visible } from "../logic/visible";
import { texts } from "../store";
import { Visible } from "./Visible";

interface FieldProps {
  label: string;
  value: string;
  onInput: (value: string) => void;
  /** A "line" wraps if it is too long for its field, and has no line breaks of its own. */
  kind?: "text" | "line" | "multiline" | "secret" | "number";
  description?: string | undefined;
  placeholder?: string | undefined;
  problem?: string | undefined;
  isRequired?: boolean;
  isLabelHidden?: boolean;
}

/** One labelled input; invisible characters are spelled out below it. */
export function Field(props: FieldProps) {
  const { label, value, onInput, kind = "text", description, placeholder, problem, isRequired = false, isLabelHidden = false } = props;
  const id = useId();
  const hides = kind !== "secret" && visible(value) !== value;
  const described = [description && `${id}-about`, problem && `${id}-problem`, hides && `${id}-hidden`].filter(Boolean).join(" ");
  const common = {
    id,
    value,
    placeholder: visible(placeholder ?? ""),
    "aria-required": isRequired,
    "aria-invalid": problem !== undefined,
    ...(described ? { "aria-describedby": described } : {}),
    onInput: (event: TargetedInputEvent<HTMLInputElement | HTMLTextAreaElement>) => onInput(event.currentTarget.value),
  };
  return (
    <div class="field">
      <label for={id} class={isLabelHidden ? "unseen" : ""}>
        <Visible text={label} />
        {isRequired && <span class="sub"> · {texts.value.required}</span>}
      </label>
      {description && <p class="sub" id={`${id}-about`}><Visible text={description} /></p>}
      {kind === "multiline" ? (
        <textarea {...common} rows={Math.min(10, Math.max(3, value.split("\n").length))} />
      ) : kind === "line" ? (
        <textarea
          {...common}
          class="line"
          rows={1}
          onInput={(event) => onInput(event.currentTarget.value.replace(/\s*\n\s*/g, " "))}
          onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
        />
      ) : kind === "secret" ? (
        <input {...common} type="password" autocomplete="new-password" />
      ) : (
        <input {...common} type="text" inputMode={kind === "number" ? "decimal" : "text"} autocomplete="off" />
      )}
      {hides && <p class="sub" id={`${id}-hidden`}>{texts.value.hidden} <code><Visible text={value} /></code></p>}
      {problem && <p class="problem" id={`${id}-problem`}>{problem}</p>}
    </div>
  );
}

interface SelectProps {
  label: string;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  onChange: (value: string) => void;
  isLabelHidden?: boolean;
  problem?: string | undefined;
}

export function Select({ label, value, options, onChange, isLabelHidden = false, problem }: SelectProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id} class={isLabelHidden ? "unseen" : ""}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)} aria-invalid={problem !== undefined} aria-describedby={problem && `${id}-problem`}>
        {options.map(([known, text]) => <option key={known} value={known}>{text}</option>)}
      </select>
      {problem && <p class="problem" id={`${id}-problem`}>{problem}</p>}
    </div>
  );
}
