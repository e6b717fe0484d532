/** JSON Schema 2020-12. */
export type Schema = Readonly<Record<string, unknown>>;

export interface About {
  /** Two or more parts of `a-z` and `0-9`, such as `com.example.shelf`. */
  id: string;
  name: string;
  description: string;
  version?: string;
}

export interface Declaration {
  /** What an agent reads. */
  description: string;
  parameters?: Schema;
  returns?: Schema;
  /** Doing it twice has the same effect as doing it once, so a lost call may be repeated. */
  idempotent?: boolean;
  examples?: readonly { params: object; result?: unknown }[];
}

/** An error of your own: it reaches the agent unchanged. */
export class AppError extends Error {
  constructor(code: string, message: string);
  readonly code: string;
}

export class App {
  constructor(about: About);
  /** `run` gets the parameters, which fit the schema, and gives the result. */
  tool<Params = Record<string, unknown>>(name: string, declaration: Declaration, run: (params: Params) => unknown): this;
  readonly descriptor: object;
  /** The reply to one request, both as JSON text. */
  answer(text: string): Promise<string>;
  /** Serves on standard input and output; with `--install`, `--uninstall` or `--describe` it does that instead. */
  run(args?: readonly string[]): Promise<void>;
}
