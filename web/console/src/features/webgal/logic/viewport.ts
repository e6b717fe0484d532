/** Which part of a picture is shown, and how large: zoomed at a point, moved, fitted. */

export interface Viewport {
  x: number;
  y: number;
  scale: number;
}

export interface Size {
  width: number;
  height: number;
}

const SMALLEST = 0.08;
const LARGEST = 4;

/** The whole picture, at most in its own size, centred. */
export function fitted(picture: Size, room: Size): Viewport {
  const scale = Math.max(SMALLEST, Math.min(1.25, room.width / picture.width, room.height / picture.height));
  return { scale, x: (room.width - picture.width * scale) / 2, y: (room.height - picture.height * scale) / 2 };
}

/** The point under the pointer stays in place. */
export function zoomed({ x, y, scale }: Viewport, by: number, at: { x: number; y: number }): Viewport {
  const next = Math.max(SMALLEST, Math.min(LARGEST, scale * by));
  return { scale: next, x: at.x - ((at.x - x) * next) / scale, y: at.y - ((at.y - y) * next) / scale };
}

export const moved = ({ x, y, scale }: Viewport, dx: number, dy: number): Viewport => ({ x: x + dx, y: y + dy, scale });

/** Moved just far enough that this box is visible, as the focus needs it. */
export function revealing(sight: Viewport, box: { x: number; y: number } & Size, room: Size): Viewport {
  const [left, top] = [sight.x + box.x * sight.scale, sight.y + box.y * sight.scale];
  const shift = (from: number, size: number, whole: number): number => (from < 8 ? 8 - from : Math.min(0, whole - 8 - from - size));
  return moved(sight, shift(left, box.width * sight.scale, room.width), shift(top, box.height * sight.scale, room.height));
}
