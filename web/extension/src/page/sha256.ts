/**
 * Synchronous SHA-256: nothing may come between a check and the action, and pages over http have no `crypto.subtle`.
 */

const ROUNDS = Uint32Array.from({ length: 64 }, (_, at) => rootBits(prime(at), 1 / 3));
const START = Uint32Array.from({ length: 8 }, (_, at) => rootBits(prime(at), 1 / 2));

/** The first 32 fractional bits. */
function rootBits(value: number, exponent: number): number {
  const root = value ** exponent;
  return ((root - Math.floor(root)) * 0x1_0000_0000) | 0;
}

function prime(index: number): number {
  let candidate = 2;
  for (let remaining = index; ; candidate++) {
    let isPrime = true;
    for (let by = 2; by * by <= candidate; by++) if (candidate % by === 0) isPrime = false;
    if (isPrime && remaining-- === 0) return candidate;
  }
}

const rotateRight = (value: number, by: number): number => (value >>> by) | (value << (32 - by));

/** As hexadecimal digits. */
export function sha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const padded = new Uint8Array((((bytes.length + 8) >> 6) + 1) << 6);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 0x2000_0000));
  view.setUint32(padded.length - 4, bytes.length << 3);
  const hash = START.slice();
  const words = new Int32Array(64);
  for (let block = 0; block < padded.length; block += 64) {
    for (let at = 0; at < 16; at++) words[at] = view.getInt32(block + at * 4);
    for (let at = 16; at < 64; at++) {
      const early = words[at - 15]!;
      const late = words[at - 2]!;
      words[at] = words[at - 16]! + words[at - 7]! + (rotateRight(early, 7) ^ rotateRight(early, 18) ^ (early >>> 3)) + (rotateRight(late, 17) ^ rotateRight(late, 19) ^ (late >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = hash as unknown as [number, number, number, number, number, number, number, number];
    for (let at = 0; at < 64; at++) {
      const first = (h + (rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[at]! + words[at]!) | 0;
      const second = ((rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + first) | 0;
      d = c;
      c = b;
      b = a;
      a = (first + second) | 0;
    }
    [a, b, c, d, e, f, g, h].forEach((value, at) => (hash[at] = hash[at]! + value));
  }
  return Array.from(hash, (word) => word.toString(16).padStart(8, "0")).join("");
}
