/** Colours as Chrome computes them, in numbers. */

export interface Color { red: number; green: number; blue: number; alpha: number }

const RGB = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/;
const MOST_KNOWN = 500;
const known = new Map<string, Color>();
let brush: OffscreenCanvasRenderingContext2D | null = null;

/** Newer notations, such as `lab()`, are painted to learn what they look like. */
export function colorOf(text: string): Color {
  let color = known.get(text);
  if (color) return color;
  const [, red, green, blue, alpha = "1"] = RGB.exec(text) ?? [];
  color = red === undefined ? painted(text) : { red: Number(red), green: Number(green), blue: Number(blue), alpha: Number(alpha) };
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(text, color);
  return color;
}

function painted(text: string): Color {
  brush ??= new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true })!;
  brush.clearRect(0, 0, 1, 1);
  brush.fillStyle = "transparent"; // an unknown notation changes nothing
  brush.fillStyle = text;
  brush.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0, alpha = 0] = brush.getImageData(0, 0, 1, 1).data;
  return { red, green, blue, alpha: alpha / 255 };
}

/** Every colour in a computed value, such as a gradient's. */
export const colorsIn = (value: string): Color[] => (value.match(/(?:rgba?|color|lab|lch|oklab|oklch)\([^()]*\)/g) ?? []).map(colorOf);

/** What is seen of a colour in front of another. */
export function over(front: Color, back: Color): Color {
  const mix = (one: number, other: number): number => one * front.alpha + other * (1 - front.alpha);
  return { red: mix(front.red, back.red), green: mix(front.green, back.green), blue: mix(front.blue, back.blue), alpha: 1 };
}

/** 0 to 255. */
export const difference = (one: Color, other: Color): number => Math.max(Math.abs(one.red - other.red), Math.abs(one.green - other.green), Math.abs(one.blue - other.blue));
