export { ask } from "./answer.js";
export { consoleWindow, type ConsoleWindowOptions } from "./console-window.js";
export { type ErrorDetails, type FieldError, fetchData, fetchFile, deleteAt, HostError, postJson } from "./envelope.js";
export {
  createHost,
  type Host,
  type HostOptions,
  type PromptPanel,
  type PromptsPayload,
  type PromptTransport,
  type RequestPayload,
  type RespondPayload,
  type UiPrompts,
} from "./host.js";
export type * from "./prompts.js";
export { forgetPageSecret, keepPageSecret } from "./page-secret.js";
export { connect, type ServerAddress, type ServerOptions, serverTransport } from "./server.js";
