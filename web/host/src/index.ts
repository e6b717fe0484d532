export { ask } from "./answer";
export { consoleWindow } from "./console-window";
export { type ErrorDetails, type FieldError, fetchData, fetchFile, deleteAt, HostError, postJson } from "./envelope";
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
} from "./host";
export type * from "./prompts";
export { forgetPageSecret, keepPageSecret } from "./page-secret";
export { connect, serverTransport } from "./server";
