/** A tool's JSON Schema as a form; anything it can't draw becomes a JSON field. */

export interface JsonSchema {
  type?: string | string[];
  title?: string;
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  enum?: unknown[];
  default?: unknown;
  items?: JsonSchema;
  minimum?: number;
  maximum?: number;
  [keyword: string]: unknown;
}

export type ParameterKind = "text" | "multiline" | "number" | "boolean" | "enum" | "lines" | "json" | "secret";

export interface Parameter {
  name: string;
  kind: ParameterKind;
  isRequired: boolean;
  isInteger: boolean;
  description: string;
  options: string[];
  /** The initial content of the field. */
  initial: string;
}

const LONG_TEXTS = /^(content|text|markdown|diff|message|body|replace|find)$/i;

export function parametersOf(schema: JsonSchema): Parameter[] {
  const required = new Set(schema.required ?? []);
  const parameters = Object.entries(schema.properties ?? {}).map(([name, part]) => {
    const kind = kindOf(name, part);
    return {
      name,
      kind,
      isRequired: required.has(name),
      isInteger: part.type === "integer",
      description: part.description ?? "",
      options: (part.enum ?? []).map(String),
      initial: initialOf(kind, part.default),
    };
  });
  return parameters.sort((a, b) => Number(b.isRequired) - Number(a.isRequired));
}

function kindOf(name: string, part: JsonSchema): ParameterKind {
  if (part.enum?.every((value) => typeof value === "string")) return "enum";
  switch (part.type) {
    case "string":
      if (part.writeOnly === true || part.format === "password") return "secret";
      return LONG_TEXTS.test(name) ? "multiline" : "text";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "array":
      return part.items?.type === "string" ? "lines" : "json";
    default:
      return "json";
  }
}

function initialOf(kind: ParameterKind, value: unknown): string {
  if (value === undefined) return "";
  if (kind === "json") return JSON.stringify(value, null, 2);
  return Array.isArray(value) ? value.join("\n") : String(value);
}

export type ParameterProblem = "required" | "number" | "json";

export interface ReadParameters {
  params: Record<string, unknown>;
  problems: Map<string, ParameterProblem>;
}

/** Empty fields are left out, so that the tool's own defaults apply; an empty required text is sent as "". */
export function readParameters(parameters: readonly Parameter[], texts: Readonly<Record<string, string>>): ReadParameters {
  const params: Record<string, unknown> = {};
  const problems = new Map<string, ParameterProblem>();
  for (const parameter of parameters) {
    const { name, kind, isRequired } = parameter;
    const text = texts[name] ?? parameter.initial;
    if (text === "" && !(isRequired && (kind === "text" || kind === "multiline" || kind === "secret"))) {
      if (isRequired) problems.set(name, "required");
      continue;
    }
    const value = valueOf(parameter, text);
    if (value.problem) problems.set(name, value.problem);
    else params[name] = value.value;
  }
  return { params, problems };
}

function valueOf({ kind, isInteger }: Parameter, text: string): { value?: unknown; problem?: ParameterProblem } {
  switch (kind) {
    case "number": {
      const value = Number(text);
      const isRight = Number.isFinite(value) && (!isInteger || Number.isSafeInteger(value));
      return isRight ? { value } : { problem: "number" };
    }
    case "boolean":
      return { value: text === "true" };
    case "lines":
      return { value: text.split("\n").filter((line) => line !== "") };
    case "json":
      try {
        return { value: JSON.parse(text) as unknown };
      } catch {
        return { problem: "json" };
      }
    default:
      return { value: text };
  }
}
