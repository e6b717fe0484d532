import type { CallState } from "../logic/calls";

export interface HistoryTexts {
  pages: { activity: string };
  search: string;
  effect: string;
  state: string;
  all: string;
  states: Record<CallState, string>;
  noCalls: string;
  noMatches: string;
  shownOf: (shown: number, total: number) => string;
  caller: string;
  taskId: string;
  target: string;
  decision: string;
  answeredBy: string;
  started: string;
  error: string;
  execution: string;
  asFilm: string;
  evidence: string;
  noEvidence: string;
  onRecord: string;
  undo: string;
  undoing: string;
  undone: string;
}
