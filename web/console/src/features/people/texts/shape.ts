import type { Problem } from "../logic/answers";
import type { ParameterProblem } from "../../tools/logic/schema";

/** Proof that a person is here. */
interface PresenceTexts {
  title: string;
  why: string;
  usePasskey: string;
  failed: string;
  orTerminal: string;
  terminal: string;
  otherAddress: string;
  addPasskey: string;
  settings: string;
  passkeys: string;
  passkeysHint: string;
  noPasskeys: string;
  getCode: string;
  code: string;
  add: string;
}

export interface PeopleTexts {
  presence: PresenceTexts;
  pages: { prompts: string };
  questions: string;
  waiting: (count: number) => string;
  arrived: (title: string) => string;
  position: (at: number, total: number) => string;
  previous: string;
  next: string;
  nothingWaiting: string;
  nothingWaitingHint: string;
  later: string;
  widen: string;
  narrow: string;
  callerGone: string;
  /** The same for what is no approval: programs that only read the log are never seen waiting. */
  nobodyWaits: string;
  kinds: Record<"kv" | "choice" | "task_confirm" | "file_change_confirm" | "result", string>;
  unknownKind: string;
  ownTitles: Readonly<Record<string, string>>;
  run: string;
  source: string;
  send: string;
  choose: string;
  confirmTasks: string;
  allowOnce: string;
  allowTask: string;
  allowRule: string;
  allowTool: string;
  allowApp: (app: string) => string;
  deny: string;
  cancel: string;
  understood: string;
  remark: string;
  remarkGiven: string;
  remarkHint: string;
  sending: string;
  sent: string;
  hidden: string;
  problems: Record<Problem | ParameterProblem, string>;
  fix: string;
  refusedFields: string;
  pickBetween: (min: number, max: number) => string;
  picked: (count: number) => string;
  required: string;
  secretHint: string;
  tasks: string;
  task: (at: number) => string;
  addTask: string;
  removeTask: (title: string) => string;
  moveUp: string;
  moveDown: string;
  moved: (at: number, total: number) => string;
  dragHint: string;
  taskTitle: string;
  details: string;
  priority: string;
  priorities: Record<"high" | "medium" | "low", string>;
  status: string;
  statuses: Record<"todo" | "doing" | "blocked" | "done", string>;
  tags: string;
  file: string;
  command: string;
  cwd: string;
  change: string;
  lines: (added: number, deleted: number) => string;
  diff: string;
  unified: string;
  sideBySide: string;
  unchanged: (count: number) => string;
  openFold: (count: number) => string;
  outcomes: Record<"ok" | "canceled" | "timeout" | "gone", string>;
  /** The same for what is no approval. */
  replies: Record<"ok" | "canceled", string>;
  answeredElsewhere: string;
  tooLate: string;
  withdrawn: string;
  goOn: string;
  by: string;
  /** Who gave an answer, by the word before the colon of `answeredBy`. */
  answerers: {
    console: (person: string) => string;
    terminal: (person: string) => string;
    client: (program: string) => string;
    program: string;
    handrail: string;
    another: string;
  };
  pending: string;
  answered: string;
  noneAnswered: string;
  answer: string;
  answerGiven: string;
  asked: string;
  scopes: Record<"once" | "task" | "rule" | "tool" | "app", string>;
  scope: string;
}
