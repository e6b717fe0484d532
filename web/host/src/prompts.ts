/** The wire types of contract 5: what stands in `ui-prompts.jsonl`, as JSON gives it. */

export type PromptStatus = "ok" | "canceled" | "timeout";

interface PromptCommon {
  title?: string;
  message?: string;
  source?: string;
  /** `false`: the person must answer; anything else lets them cancel. */
  allowCancel?: boolean;
}

export interface KvField {
  key: string;
  label?: string;
  description?: string;
  placeholder?: string;
  default?: string;
  required?: boolean;
  multiline?: boolean;
  secret?: boolean;
}

export interface KvPrompt extends PromptCommon {
  kind: "kv";
  fields: KvField[];
}

export interface ChoiceOption {
  value: string;
  label?: string;
  description?: string;
}

export interface ChoicePrompt extends PromptCommon {
  kind: "choice";
  multiple?: boolean;
  options: ChoiceOption[];
  default?: string | string[];
  minSelections?: number;
  maxSelections?: number;
}

export type TaskPriority = "high" | "medium" | "low";
export type TaskStatus = "todo" | "doing" | "blocked" | "done";

export interface Task {
  draftId: string;
  title: string;
  details: string;
  priority: TaskPriority;
  status: TaskStatus;
  tags: string[];
}

export interface TaskConfirmPrompt extends PromptCommon {
  kind: "task_confirm";
  tasks?: Partial<Task>[];
  defaultRemark?: string;
}

export interface PromptImage {
  path: string;
  alt?: string;
}

/** A fact. With a `code` it is a sentence of handrail's, and `value` is its variable part. */
export interface CardFact {
  name: string;
  value: string;
  code?: string;
  /** For a change: which part of the question it is about. */
  of?: string;
}

export type Risk = "undoable" | "leaves" | "code" | "secrets";

/**
 * What an approval asks, as data that a client words in the person's language. Only handrail's own approvals have it.
 */
export interface Card {
  agent: string;
  identity: string;
  tool: string;
  effect: string;
  project: string;
  object: string;
  kind: string;
  within: string;
  reason: string;
  risks: Risk[];
  notes: CardFact[];
  unseen?: CardFact;
  changed: CardFact[];
  facts: CardFact[];
  params: CardFact[];
  /** For a command: each program that it starts, with its arguments. */
  parts: string[][];
  digest: string;
}

export interface FileChangePrompt extends PromptCommon {
  kind: "file_change_confirm";
  path?: string;
  command?: string;
  cwd?: string;
  diff?: string;
  defaultRemark?: string;
  images?: PromptImage[];
  /** The one action that an ok allows, as the program that performs it names it. */
  scope?: { method: string; paramsDigest: string };
  /** The app's tool that would be called; a yes can be remembered for it or for all of the app's tools. */
  consent?: { app: string; appName: string; tool: string };
  /** Why the target can't be shown; a yes must then not be the default. */
  unseen?: string;
  /** What differs from what was allowed a moment ago and not done. */
  changed?: string[];
  /** How far a yes may reach, narrowest first, each with the exact rule it creates. */
  offers?: Offer[];
  /** Why the file is code that runs later. */
  runsLater?: string;
  /** Parameters shown as `******`; the person may ask for their values while the caller waits. */
  masked?: string[];
  card?: Card;
  /** What a person may accept separately, or edit. */
  parts?: ChangePart[];
}

export interface ChangeHunk {
  startOld: number;
  startNew: number;
  linesOld: string[];
  linesNew: string[];
}

/** A file of a change; `content` is the proposed text, if a person may edit it. */
export interface ChangePart {
  path: string;
  hunks: ChangeHunk[];
  content?: string;
}

/** What a yes allows beyond the one call; `*` stands for every project or every agent. */
export interface Grant {
  tools: string[];
  path?: string;
  place?: string;
  app?: string;
  command?: string;
  server?: string;
  project?: string;
  identity?: string;
  task?: string;
  until?: string;
}

export interface Offer {
  scope: ApprovalScope;
  grant?: Grant;
  what?: string;
  where?: string;
  who?: string;
  until?: string;
  isWide?: boolean;
}

export interface ResultPrompt extends PromptCommon {
  kind: "result";
  markdown?: string;
}

/** A request in the log that handrail can't read: its original text, and the reason. It can only be canceled. */
export interface UnreadablePrompt extends PromptCommon {
  kind: "unreadable";
  raw: string;
  reason: string;
}

export type Prompt = KvPrompt | ChoicePrompt | TaskConfirmPrompt | FileChangePrompt | ResultPrompt | UnreadablePrompt;

/** The program that asked: it waits, it stopped waiting, or it only reads the log, where handrail can't see it. */
export type Caller = "waiting" | "gone" | "unknown";

/** How far an approval reaches; absent on the wire means `once`. */
export type ApprovalScope = "once" | "task" | "rule";

export interface PromptResponse {
  status: PromptStatus;
  values?: Record<string, string>;
  selection?: string | string[];
  tasks?: Task[];
  remark?: string;
  scope?: ApprovalScope;
  /** With the scope `rule`, if the prompt has a `consent`: what is remembered; absent means this tool. */
  covers?: "tool" | "app";
  /** How far the yes reaches within its scope; absent means the narrowest offer. */
  grant?: Grant;
  /** If the prompt has one part: the indexes of the accepted hunks, from 0; absent means all. */
  hunks?: number[];
  /** If the prompt has one part: the text that is written instead of the proposed one. */
  content?: string;
  /** If the prompt has several parts: the accepted ones; absent means all. */
  files?: { path: string; hunks?: number[]; content?: string }[];
}

interface EntryCommon {
  ts: string;
  type: "ui_prompt";
  requestId: string;
  runId?: string;
  /** Where the line starts in the log; added by the server, not stored in the log. */
  offset?: number;
}

export interface RequestEntry extends EntryCommon {
  action: "request";
  prompt: Prompt;
  /** While it is pending. */
  caller?: Caller;
  /** Whether handrail itself asks. No other prompt is handrail's, whatever it claims. */
  isOwn?: boolean;
  /** For handrail's own prompts: the agent that asks. */
  askedBy?: string;
  /** Who posted a prompt that isn't handrail's own. */
  postedBy?: string;
  /** Its source, if it pretends to be handrail's. */
  claimedSource?: string;
  /** The same for similar pending approvals, which can be answered together. */
  bundle?: string;
  /** The digest of what is shown; an answer to several prompts names each with it. */
  digest?: string;
}

export interface ResponseEntry extends EntryCommon {
  action: "response";
  response: PromptResponse;
  /** Who answered, if the server knows: `console:ada`, `terminal:ada`, `client:claude-code/2`, `program`. */
  answeredBy?: string;
}

export type PromptEntry = RequestEntry | ResponseEntry;
