/** An app whose tools agents can call. */

import { createInterface } from "node:readline";
import { install, uninstall } from "./installation.js";
import { problemWith } from "./schema.js";

const VERSION = "1.0";
const LARGEST_REPLY = 16 * 1024 * 1024;

/** An error of your own: it reaches the agent unchanged. */
export class AppError extends Error {
  constructor(code, message) {
    if (!/^[A-Z][A-Z0-9_]*$/.test(code)) throw new TypeError(`${code} isn't an error code: capitals, digits and _ only.`);
    super(message);
    this.code = code;
  }
}

export class App {
  #about;
  #tools = new Map();

  constructor({ id, name, description, version }) {
    if (!/^[a-z0-9]+(\.[a-z0-9]+)+$/.test(id)) throw new TypeError(`${id} isn't an app id, such as com.example.shelf.`);
    this.#about = { id, name, description, ...(version === undefined ? {} : { version }) };
  }

  /** `run` gets the parameters, which fit the schema, and gives the result. */
  tool(name, { description, parameters = { type: "object", properties: {}, additionalProperties: false }, ...more }, run) {
    if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new TypeError(`${name} isn't a tool's name, such as add_book.`);
    if (this.#tools.has(name)) throw new TypeError(`There is a tool ${name} already.`);
    this.#tools.set(name, { declared: { name, description, parameters, ...more }, run });
    return this;
  }

  get descriptor() {
    const tools = [...this.#tools.values()].map(({ declared }) => declared);
    return { schema_version: VERSION, app: this.#about, execution: { type: "stdio" }, tools };
  }

  /** The reply to one request, both as JSON text. */
  async answer(text) {
    const { request, id } = readRequest(text);
    const head = { version: VERSION, request_id: id };
    try {
      if (request === undefined) throw new AppError("INVALID_REQUEST", "This isn't a request of the contract.");
      const reply = JSON.stringify({ ...head, status: "success", result: await this.#call(request) });
      if (Buffer.byteLength(reply) > LARGEST_REPLY) throw new RangeError("the result is too large for a reply");
      return reply;
    } catch (error) {
      if (!(error instanceof AppError)) console.error(error);
      const { code, message } = error instanceof AppError ? error : { code: "INTERNAL_ERROR", message: "The app failed." };
      return JSON.stringify({ ...head, status: "error", error: { code, message } });
    }
  }

  async #call({ tool, params }) {
    const known = this.#tools.get(tool);
    if (known === undefined) throw new AppError("UNKNOWN_TOOL", `There is no tool ${tool}.`);
    const problem = problemWith(params, known.declared.parameters);
    if (problem !== undefined) throw new AppError("INVALID_PARAMS", problem);
    const result = (await known.run(params)) ?? {};
    const wrong = known.declared.returns && problemWith(result, known.declared.returns);
    if (wrong) throw new TypeError(`the result of ${tool} does not fit its schema: ${wrong}`);
    return result;
  }

  /** Serves on standard input and output; `--install`, `--uninstall` and `--describe` do what they say instead. */
  async run([option] = process.argv.slice(2)) {
    if (option === "--describe") console.log(JSON.stringify(this.descriptor, null, 2));
    else if (option === "--install") console.log(`Installed ${install(this.descriptor)}`);
    else if (option === "--uninstall") uninstall(this.descriptor);
    else if (option === undefined) await this.#serve();
    else throw new TypeError(`Unknown option ${option}`);
  }

  async #serve() {
    const { stdout } = process;
    const send = stdout.write.bind(stdout);
    console.log = console.info = console.debug = console.error; // standard output is the wire
    stdout.write = process.stderr.write.bind(process.stderr);
    const answers = new Set();
    for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
      if (line.trim() === "") continue;
      const answer = this.answer(line).then((reply) => send(`${reply}\n`));
      answers.add(answer);
      void answer.finally(() => answers.delete(answer));
    }
    await Promise.all(answers);
  }
}

function readRequest(text) {
  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  let request;
  try {
    request = JSON.parse(text);
  } catch {
    request = undefined;
  }
  const id = typeof request?.request_id === "string" ? request.request_id : undefined;
  const isVersion = typeof request?.version === "string" && request.version.split(".")[0] === VERSION.split(".")[0];
  const isWhole = isObject(request) && isObject(request.params) && typeof request.tool === "string" && isVersion && id !== undefined;
  return { request: isWhole ? request : undefined, id: id ?? "" };
}
