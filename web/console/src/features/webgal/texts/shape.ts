import type { Choice } from "../logic/resources";
import type { Kind, Severity } from "../logic/game";

export interface WebGalTexts {
  tabs: Record<"scenes" | "problems" | "graph" | "resources", string>;
  summary: (scenes: number, lines: number) => string;
  views: string;
  // No game
  noGame: string;
  noGameHint: string;
  noGameStart: string;
  // Scenes
  scenes: string;
  findScene: string;
  noScene: string;
  severities: Record<Severity, string>;
  severity: string;
  counted: (severity: Severity, count: number) => string;
  clean: string;
  unreached: string;
  lines: (count: number) => string;
  config: string;
  chooseScene: string;
  // Source
  source: (path: string) => string;
  sourceKeys: string;
  line: (line: number) => string;
  noProblemHere: string;
  nextProblem: string;
  previousProblem: string;
  better: string;
  suggestion: string;
  unreadable: string;
  // Fixes
  fix: string;
  fixAll: string;
  fixTitle: (path: string) => string;
  fixHint: string;
  write: string;
  writing: string;
  written: (path: string) => string;
  lookAgain: string;
  changed: string;
  undo: string;
  undone: (path: string) => string;
  // Problems
  findProblem: string;
  noProblems: string;
  noProblemsMatch: string;
  problemCount: (shown: number, total: number) => string;
  // Graph
  graph: string;
  graphHint: string;
  zoomIn: string;
  zoomOut: string;
  fit: string;
  node: (name: string, problems: number) => string;
  lostNode: (name: string) => string;
  missingNode: (name: string) => string;
  // Resources
  choices: Record<Choice, string>;
  kinds: Record<Kind, string>;
  findResource: string;
  noResources: string;
  missing: string;
  unused: string;
  uses: (count: number) => string;
  play: (name: string) => string;
  pause: (name: string) => string;
  cantPlay: string;
  namedAt: string;
  more: (count: number) => string;
  // Preview
  preview: string;
  closePreview: string;
  starting: string;
  follows: string;
  previewAt: (scene: string, line: number) => string;
  reloadPreview: string;
  noPreview: string;
}
