/** Addresses of servers that can be paired with, always compared as a whole. */

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);
/** The contract's own pages, and our default port. */
const USUAL = new Set(["http://localhost:3000", "http://127.0.0.1:3000", "http://localhost:6006", "http://127.0.0.1:6006"]);

/** The origin of an address that was typed or sent by a page; null if it isn't a plain web server. */
export function serverOrigin(address: string): string | null {
  const trimmed = address.trim();
  if (/\s/.test(trimmed)) return null;
  let url: URL;
  try {
    url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`);
  } catch {
    return null;
  }
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.has(url.hostname));
  return isSafe && !url.username && !url.password && (url.pathname === "/" || url.pathname === "") && !url.search ? url.origin : null;
}

export function isLoopback(origin: string): boolean {
  const normalized = serverOrigin(origin);
  return normalized !== null && normalized === origin && LOOPBACK.has(new URL(normalized).hostname);
}

export const isUsual = (origin: string): boolean => USUAL.has(origin);
