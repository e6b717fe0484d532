/** A task's last picture and the boxes of the indexed elements. */

export interface SeenElement {
  clickId: string;
  tag: string;
  role?: string;
  name?: string;
  /** In pixels of the picture. */
  bbox: { x: number; y: number; w: number; h: number };
}

/** The response of `GET /api/browser/view`; without a picture it has only `taskId` and no elements. */
export interface TaskPageView {
  taskId: string;
  artifactId?: string;
  tabId?: number;
  width?: number;
  height?: number;
  takenAt?: number;
  url?: string;
  indexedAt?: number;
  /** When something was last done in the task. */
  actedAt?: number;
  elements: SeenElement[];
}

export interface Picture extends TaskPageView {
  artifactId: string;
  width: number;
  height: number;
  takenAt: number;
}

export const hasPicture = (sight: TaskPageView | null): sight is Picture => sight?.artifactId !== undefined;

/** The page has changed since the picture was taken. */
export const isStale = ({ takenAt = 0, actedAt = 0 }: TaskPageView): boolean => actedAt > takenAt;

export const artifactUrl = (artifactId: string): string => `/api/artifacts/${encodeURIComponent(artifactId)}`;

export interface PlacedBox {
  element: SeenElement;
  /** In percent of the picture, so that it fits at any size. */
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Clipped to the picture; the smallest last, so that elements on top can be pointed at. */
export function boxesOf({ width, height, elements }: Picture): PlacedBox[] {
  const boxes = elements.map((element): PlacedBox => {
    const { x, y, w, h } = element.bbox;
    const [left, top] = [Math.max(0, x), Math.max(0, y)];
    const [right, bottom] = [Math.min(width, x + w), Math.min(height, y + h)];
    return {
      element,
      left: (100 * left) / width,
      top: (100 * top) / height,
      width: (100 * (right - left)) / width,
      height: (100 * (bottom - top)) / height,
    };
  });
  return boxes.filter((box) => box.width > 0 && box.height > 0).sort((a, b) => b.width * b.height - a.width * a.height);
}

/** `12 button "Save"`, as agents read it. */
export function describe({ clickId, tag, role, name }: SeenElement): string {
  return [clickId, role || tag, name && `"${name}"`].filter(Boolean).join(" ");
}
