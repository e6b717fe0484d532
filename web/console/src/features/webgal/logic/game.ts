/** A game as `/api/webgal/*` describes it. */

export const SEVERITIES = ["syntax", "resource", "style"] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface Problem {
  path: string;
  line: number;
  code: string;
  kind: Severity;
  message: string;
  /** In code points, as Python counts. */
  start: number;
  end: number;
  /** The corrected line. */
  fixHint?: string;
  /** The intention is uncertain, so it is never applied with the others. */
  isGuess?: boolean;
}

export interface SceneEntry {
  path: string;
  name: string;
  lines: number;
  isReachable: boolean;
}

export interface Game {
  folder: string;
  title: string;
  stamp: string;
  entry: string | null;
  /** The path of `config.txt`, if the game has one. */
  config: string | null;
  lines: number;
  scenes: SceneEntry[];
  problems: Problem[];
}

export type Sort = "command" | "speech" | "remark" | "continuation";

/** The kind of line, and where its head, its content and its arguments end. */
export type Parts = readonly [sort: Sort, head: number, content: number, end: number];

export interface SceneText {
  path: string;
  stamp: string;
  text: string;
  parts: Parts[];
}

export interface GraphNode {
  name: string;
  kind: "scene" | "lost" | "missing";
  x: number;
  y: number;
  width: number;
}

export interface GraphArrow {
  from: string;
  to: string;
  how: string;
  line: number;
  path: string;
}

export interface Graph {
  width: number;
  height: number;
  nodes: GraphNode[];
  arrows: GraphArrow[];
}

export interface Use {
  path: string;
  line: number;
}

export const KINDS = ["image", "audio", "video", "live2d", "spine", "animation", "other"] as const;
export type Kind = (typeof KINDS)[number];

export interface Resource {
  path: string;
  folder: string;
  name: string;
  kind: Kind;
  size: number;
  version: string;
  uses: Use[];
  isUnused: boolean;
}

export interface Missing {
  path: string;
  uses: Use[];
}

export interface Resources {
  resources: Resource[];
  missing: Missing[];
}

/** One problem's fix, or without a problem all safe fixes of the file. */
export type FixTarget = Pick<Problem, "path"> & Partial<Pick<Problem, "line" | "code" | "start">>;

/** What a fix would change, and hashes that identify it when it is written. */
export interface Fix {
  path: string;
  diff: string;
  baseHash: string;
  afterHash: string;
  snapshotId?: string;
}

/** A screen of the preview: later requests name it, a frame opens it. */
export interface Frame {
  screen: string;
  address: string;
}

export const fileUrl = ({ path, version }: Pick<Resource, "path" | "version">): string =>
  `/api/webgal/file?path=${encodeURIComponent(path)}&v=${encodeURIComponent(version)}`;
