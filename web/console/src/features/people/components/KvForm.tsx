import type { KvPrompt, RequestEntry } from "@handrail/host";
import { useState } from "preact/hooks";
import { errorsBelow } from "../../../shell/failure";
import { checkValues, initialValues } from "../logic/answers";
import { texts } from "../../../store";
import { isHeadline } from "../actions/prompts";
import { AnswerForm } from "./AnswerForm";
import { Field } from "../../../ui/Field";

export function KvForm({ request, prompt, isShown }: { request: RequestEntry; prompt: KvPrompt; isShown: boolean }) {
  const t = texts.value;
  const [values, setValues] = useState(() => initialValues(prompt.fields));
  const isOwnQuestion = request.isOwn === true && prompt.source === "handrail/ask_followup_question";
  const isHeard = (request.caller ?? "waiting") === "waiting";
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());

  const set = (key: string, value: string): void => {
    setValues({ ...values, [key]: value });
    setProblems(new Map([...problems].filter(([known]) => known !== key)));
  };
  // Secrets are removed from the page as soon as they are sent, whatever the result.
  const forgetSecrets = (): void => {
    const secrets = prompt.fields.filter((field) => field.secret).map((field) => [field.key, ""]);
    setValues((now) => ({ ...now, ...Object.fromEntries(secrets) }));
  };

  return (
    <AnswerForm
      request={request}
      isShown={isShown}
      yes={t.send}
      no={t.cancel}
      message={isHeadline(request) ? "" : undefined}
      onSending={forgetSecrets}
      onFieldErrors={(errors) => {
        const fieldErrors = new Map([...errorsBelow(errors, "values")].filter(([key]) => prompt.fields.some((field) => field.key === key)));
        setProblems(fieldErrors);
        return [...fieldErrors.keys()].map((key) => `values.${key}`);
      }}
      collect={() => {
        const problems = checkValues(prompt, values);
        setProblems(new Map([...problems].map(([key, problem]) => [key, t.problems[problem]])));
        return problems.size ? null : { status: "ok", values };
      }}
    >
      {prompt.fields.map((field) => (
        <Field
          key={field.key}
          label={isOwnQuestion ? t.answer : field.label || field.key}
          value={values[field.key] ?? ""}
          onInput={(value) => set(field.key, value)}
          kind={field.secret ? "secret" : field.multiline ? "multiline" : "text"}
          description={[field.description, field.secret && (isHeard ? t.secretHint : t.secretLost)].filter(Boolean).join(" ")}
          placeholder={field.placeholder}
          problem={problems.get(field.key)}
          isRequired={field.required === true}
        />
      ))}
    </AnswerForm>
  );
}
