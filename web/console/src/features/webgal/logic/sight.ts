/** What part of a picture is shown, and how large: zoomed at a point, moved, fitted. */

export interface Sight {
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

/** All of it, at most in its own size, in the middle. */
export function fitted(picture: Size, room: Size): Sight {
  const scale = Math.max(SMALLEST, Math.min(1.25, room.width / picture.width, room.height / picture.height));
  return { scale, x: (room.width - picture.width * scale) / 2, y: (room.height - picture.height * scale) / 2 };
}

/** The point under the pointer stays where it is. */
export function zoomed({ x, y, scale }: Sight, by: number, at: { x: number; y: number }): Sight {
  const next = Math.max(SMALLEST, Math.min(LARGEST, scale * by));
  return { scale: next, x: at.x - ((at.x - x) * next) / scale, y: at.y - ((at.y - y) * next) / scale };
}

export const moved = ({ x, y, scale }: Sight, dx: number, dy: number): Sight => ({ x: x + dx, y: y + dy, scale });

/** Moved just so far that this box is in the room, as the focus needs it. */
export function revealing(sight: Sight, box: { x: number; y: number } & Size, room: Size): Sight {
  const [left, top] = [sight.x + box.x * sight.scale, sight.y + box.y * sight.scale];
  const shift = (from: number, size: number, whole: number): number => (from < 8 ? 8 - from : Math.min(0, whole - 8 - from - size));
  return moved(sight, shift(left, box.width * sight.scale, room.width), shift(top, box.height * sight.scale, room.height));
}
