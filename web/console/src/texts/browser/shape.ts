import type { TaskStatus } from "../../logic/browserTasks";
import type { Health } from "../../logic/plugins";

/** What the page of browsers has to say. */
export interface BrowserTexts {
  connected: (count: number) => string;
  // Browsers
  browsers: string;
  health: Record<Health, string>;
  unwellHint: string;
  newTasksHere: string;
  lastSeen: string;
  extension: string;
  client: string;
  showsWindows: (browser: string) => string;
  // Pairing
  connectBrowser: string;
  connectAnother: string;
  whatFor: string;
  foundHere: (version: string) => string;
  pairHere: string;
  pairing: string;
  paired: string;
  confirmInExtension: string;
  noAnswer: string;
  pairFailed: (why: string) => string;
  notFoundHere: string;
  fromTerminal: string;
  byHand: string;
  byHandSteps: readonly string[];
  otherBrowser: string;
  makeCode: string;
  codeFor: string;
  codeUse: (server: string) => string;
  copy: string;
  copied: string;
  expiresIn: (left: string) => string;
  expired: string;
  pairedExtensions: string;
  noPairings: string;
  pairedAt: string;
  revoke: string;
  revokeOf: (name: string) => string;
  revoked: string;
  // Windows
  windows: string;
  window: (count: number) => string;
  inFront: string;
  unnamedGroup: string;
  groupColours: Record<string, string>;
  untitled: string;
  loading: string;
  pinned: string;
  taskTab: (task: string) => string;
  ofTask: string;
  asOf: string;
  stale: string;
  unchangedSince: string;
  noWindows: string;
  nothingTold: string;
  // Tasks
  tasks: string;
  untitledTask: string;
  statuses: Record<TaskStatus, string>;
  noTasks: string;
  noTasksHint: string;
  noBrowserYet: string;
  takeOver: string;
  handBack: string;
  stop: string;
  takenOverHint: string;
  told: Record<"takeover" | "handback" | "stop", string>;
  // The picture
  picture: string;
  noPicture: string;
  noPictureHint: string;
  lookHint: string;
  look: string;
  looking: string;
  index: (count: number) => string;
  noIndex: string;
  enlarge: string;
  enlargePicture: (what: string) => string;
  close: string;
  taken: string;
  indexed: string;
  size: string;
  page: string;
  pictureOf: (page: string) => string;
  elements: (count: number) => string;
  pictureGone: string;
}
