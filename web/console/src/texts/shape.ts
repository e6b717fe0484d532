import type { Saying } from "../logic/serverText";
import type { ActTexts } from "./acts";

export interface ShellTexts {
  acts: ActTexts;
  /** Translations of the server's sentences; empty for English. */
  sayings: readonly Saying[];
  /** The meaning of each error condition or code, for sentences without a translation; empty for English. */
  failures: Readonly<Record<string, string>>;
  navigation: string;
  surfaces: string;
  more: string;
  close: string;
  allProjects: string;
  commands: string;
  commandHint: string;
  noCommand: string;
  openPage: (page: string) => string;
  showProject: (name: string) => string;
  useTheme: Record<"light" | "dark" | "auto", string>;
  otherLanguage: string;
  shortcuts: string;
  skip: string;
  /** With commands between backticks. */
  stopped: string;
  connection: Record<"connecting" | "online" | "offline", string>;
  /** What stands between two sentences. */
  betweenSentences: string;
  loading: string;
  retry: string;
  copy: string;
  copied: string;
  codeBlock: string;
  notResponding: string;
  notLoaded: string;
  broken: string;
  brokenHint: string;
  reload: string;
  loadMore: string;
  moreBelow: string;
  signIn: string;
  signInHint: string;
  code: string;
  codeWrong: string;
  enter: string;
  effects: Record<string, string>;
}
