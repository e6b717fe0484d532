/** A game as `/api/webgal/*` tells it. */

export const SEVERITIES = ["syntax", "resource", "style"] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface Problem {
  path: string;
  line: number;
  code: string;
  kind: Severity;
  message: string;
  /** In characters of the line, as Python counts them: code points. */
  start: number;
  end: number;
  /** The whole line as it should be. */
  fixHint?: string;
  /** It can't be known that this was meant: never applied with the others. */
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
  /** The path of `config.txt`, where the game has one. */
  config: string | null;
  lines: number;
  scenes: SceneEntry[];
  problems: Problem[];
}

export type Sort = "command" | "speech" | "remark" | "continuation";

/** What it is, and where its head, its content and its arguments end. */
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

/** One problem's fix, or without one all that is safe in the file. */
export type Wish = Pick<Problem, "path"> & Partial<Pick<Problem, "line" | "code" | "start">>;

/** What mending would do, and by what the same is recognised when it is done. */
export interface Mend {
  path: string;
  diff: string;
  baseHash: string;
  afterHash: string;
  snapshotId?: string;
}

/** A screen of the preview's: named in later wishes, opened by a frame. */
export interface Frame {
  screen: string;
  address: string;
}

export const fileUrl = ({ path, version }: Pick<Resource, "path" | "version">): string =>
  `/api/webgal/file?path=${encodeURIComponent(path)}&v=${encodeURIComponent(version)}`;
