/** A task's last picture and the boxes of what was indexed on it. */

export interface SeenElement {
  clickId: string;
  tag: string;
  role?: string;
  name?: string;
  /** In pixels of the picture. */
  bbox: { x: number; y: number; w: number; h: number };
}

/** As `GET /api/browser/view` answers; without a picture there are only `taskId` and no elements. */
export interface Sight {
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

export interface Picture extends Sight {
  artifactId: string;
  width: number;
  height: number;
  takenAt: number;
}

export const hasPicture = (sight: Sight | null): sight is Picture => sight?.artifactId !== undefined;

/** The page has changed since: what is shown is of the past. */
export const isStale = ({ takenAt = 0, actedAt = 0 }: Sight): boolean => actedAt > takenAt;

export const artifactUrl = (artifactId: string): string => `/api/artifacts/${encodeURIComponent(artifactId)}`;

export interface Placed {
  element: SeenElement;
  /** In percent of the picture, so that it fits however large that is shown. */
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Cut to the picture; the smallest last, so that what lies on top can be pointed at. */
export function placed({ width, height, elements }: Picture): Placed[] {
  const boxes = elements.map((element): Placed => {
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
