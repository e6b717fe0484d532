import { useMemo, useState } from "preact/hooks";
import { errorsByRoot, fieldErrorsOf, messageOf } from "../../../shell/failure";
import { type JsonSchema, type Parameter, parametersOf, readParameters } from "../logic/schema";
import { texts } from "../../../store";
import { Field, Select } from "../../../ui/Field";
import { Visible } from "../../../ui/Visible";

/** A form generated from a tool's schema; its call passes the gate like any other. */
export function ToolForm({ schema, call: callTool }: { schema: JsonSchema; call: (params: unknown) => Promise<unknown> }) {
  const t = texts.value;
  const parameters = useMemo(() => parametersOf(schema), [schema]);
  const [values, setValues] = useState<Record<string, string>>({});
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const [isCalling, setIsCalling] = useState(false);
  const [result, setResult] = useState<string | null>(null);
  const [error, setError] = useState("");
  /** The parameters typed as JSON; null while the form is used. */
  const [json, setJson] = useState<string | null>(null);

  function parseInput(): Record<string, unknown> | null {
    if (json !== null) {
      const params = parsed(json);
      setProblems(new Map(params ? [] : [["json", t.problems.json]]));
      return params;
    }
    const result = readParameters(parameters, values);
    setProblems(new Map([...result.problems].map(([name, problem]) => [name, t.problems[problem]])));
    return result.problems.size ? null : result.params;
  }

  async function call(): Promise<void> {
    const params = parseInput();
    if (!params) return;
    setIsCalling(true);
    setError("");
    setResult(null);
    try {
      setResult(JSON.stringify(await callTool(params), null, 2));
    } catch (failure) {
      setError(messageOf(failure));
      setProblems(errorsByRoot(fieldErrorsOf(failure)));
    } finally {
      setIsCalling(false);
    }
  }

  return (
    <form class="tool-form" onSubmit={(event) => { event.preventDefault(); void call(); }}>
      {parameters.length === 0 && <p class="sub">{t.noParameters}</p>}
      {parameters.length > 0 && (
        <div class="segments" role="group" aria-label={t.enterAs}>
          <button type="button" aria-pressed={json === null} onClick={() => setJson(null)}>{t.form}</button>
          <button type="button" aria-pressed={json !== null} onClick={() => setJson(JSON.stringify(readParameters(parameters, values).params, null, 2))}>JSON</button>
        </div>
      )}
      {json !== null && <Field label={t.parameters} kind="multiline" value={json} onInput={setJson} problem={problems.get("json")} />}
      {json === null && parameters.map((parameter) => (
        <ParameterField
          key={parameter.name}
          parameter={parameter}
          value={values[parameter.name] ?? parameter.initial}
          problem={problems.get(parameter.name)}
          onInput={(value) => setValues({ ...values, [parameter.name]: value })}
        />
      ))}
      <p class="row">
        <button type="submit" class="primary" disabled={isCalling}>{isCalling ? t.calling : t.call}</button>
        <span class="sub">{t.tryHint}</span>
      </p>
      {error && <p class="problem" role="alert">{error}</p>}
      {result !== null && (
        <div role="status">
          <h4>{t.result}</h4>
          <pre tabIndex={0}><Visible text={result} /></pre>
        </div>
      )}
    </form>
  );
}

/** Null if it isn't an object. */
function parsed(text: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

interface ParameterFieldProps {
  parameter: Parameter;
  value: string;
  problem: string | undefined;
  onInput: (value: string) => void;
}

function ParameterField({ parameter, value, problem, onInput }: ParameterFieldProps) {
  const t = texts.value;
  const { name, kind, isRequired, description, options } = parameter;
  if (kind === "boolean" || kind === "enum") {
    const choices = kind === "boolean" ? ["true", "false"] : options;
    const unset: [string, string][] = isRequired && value !== "" ? [] : [["", t.notSet]];
    return <Select label={name} value={value} problem={problem} onChange={onInput} options={[...unset, ...choices.map((option): [string, string] => [option, option])]} />;
  }
  const hint = kind === "lines" ? t.onePerLine : kind === "json" ? "JSON" : "";
  return (
    <Field
      label={name}
      value={value}
      onInput={onInput}
      kind={kind === "number" || kind === "text" || kind === "secret" ? kind : "multiline"}
      description={[description, hint].filter(Boolean).join(" · ")}
      problem={problem}
      isRequired={isRequired}
    />
  );
}
