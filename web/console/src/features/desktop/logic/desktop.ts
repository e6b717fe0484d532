/** The last view of the desktop, and where each of its lines is in the picture. */

export interface Frame {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface DesktopLine {
  elementId: string;
  depth: number;
  text: string;
  /** In pixels of the screen; null if it has no place on it. */
  frame: Frame | null;
}

export interface DesktopWindow {
  title: string;
  app: string;
  pid: number;
  isFront: boolean;
  isModal: boolean;
}

/** The response of `GET /api/desktop/view`. */
export interface DesktopSnapshot {
  executionId: string;
  takenAt: string;
  route: { frontmostBundleId: string; windowTitle: string };
  windows: DesktopWindow[];
  /** Which part of the screen the picture shows. */
  area: Frame;
  lines: DesktopLine[];
  truncated: boolean;
}

export interface DesktopFix {
  about: string;
  issue: string;
  fix: string;
}

/** The response of `GET /api/desktop/doctor`. */
export interface DesktopState {
  healthy: boolean;
  os: string;
  session: string;
  permissions: Record<string, { granted: boolean }>;
  fixes: DesktopFix[];
}

/** In percent of the picture, so that it fits at any size. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

export const pictureUrl = ({ executionId }: DesktopSnapshot): string => `/api/desktop/picture/${encodeURIComponent(executionId)}`;

/** Clipped to the picture; null if it is outside. */
export function boxOf({ frame }: DesktopLine, area: Frame): Box | null {
  if (!frame) return null;
  const [left, top] = [Math.max(area.x, frame.x), Math.max(area.y, frame.y)];
  const right = Math.min(area.x + area.width, frame.x + frame.width);
  const bottom = Math.min(area.y + area.height, frame.y + frame.height);
  if (right <= left || bottom <= top) return null;
  return {
    left: (100 * (left - area.x)) / area.width,
    top: (100 * (top - area.y)) / area.height,
    width: (100 * (right - left)) / area.width,
    height: (100 * (bottom - top)) / area.height,
  };
}

/**
 * The innermost line at a point of the picture (as fractions of its width and height): the smallest, the last of
 * equals.
 */
export function lineAt({ lines, area }: DesktopSnapshot, across: number, down: number): DesktopLine | null {
  const [x, y] = [area.x + across * area.width, area.y + down * area.height];
  let match: DesktopLine | null = null;
  let smallest = Infinity;
  for (const line of lines) {
    const { frame } = line;
    if (!frame || x < frame.x || y < frame.y || x >= frame.x + frame.width || y >= frame.y + frame.height) continue;
    if (frame.width * frame.height > smallest) continue;
    smallest = frame.width * frame.height;
    match = line;
  }
  return match;
}

export const describeLine = ({ elementId, text }: DesktopLine): string => `${elementId} ${text}`;

/** What is missing for several things at once is listed once. */
export const distinct = (fixes: DesktopFix[]): DesktopFix[] => fixes.filter(({ issue }, at) => fixes.findIndex((other) => other.issue === issue) === at);
