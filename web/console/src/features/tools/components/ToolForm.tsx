import { useMemo, useState } from "preact/hooks";
import { errorsByRoot, fieldErrorsOf, messageOf } from "../../../shell/failure";
import { type JsonSchema, type Parameter, parametersOf, readParameters } from "../logic/schema";
import { texts } from "../../../store";
import { Field, Select } from "../../../ui/Field";
import { Visible } from "../../../ui/Visible";

/** A form made from a tool's schema; its call goes the way of every call. */
export function ToolForm({ schema, call: callTool }: { schema: JsonSchema; call: (params: unknown) => Promise<unknown> }) {
  const t = texts.value;
  const parameters = useMemo(() => parametersOf(schema), [schema]);
  const [values, setValues] = useState<Record<string, string>>({});
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const [isCalling, setIsCalling] = useState(false);
  const [result, setResult] = useState<string | null>(null);
  const [error, setError] = useState("");

  async function call(): Promise<void> {
    const read = readParameters(parameters, values);
    setProblems(new Map([...read.problems].map(([name, problem]) => [name, t.problems[problem]])));
    if (read.problems.size) return;
    setIsCalling(true);
    setError("");
    setResult(null);
    try {
      setResult(JSON.stringify(await callTool(read.params), null, 2));
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
      {parameters.map((parameter) => (
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
    const known = kind === "boolean" ? ["true", "false"] : options;
    const unset: [string, string][] = isRequired && value !== "" ? [] : [["", t.notSet]];
    return <Select label={name} value={value} problem={problem} onChange={onInput} options={[...unset, ...known.map((option): [string, string] => [option, option])]} />;
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
