/** Addresses of servers: what may be paired with, compared whole and never by their beginnings. */

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);
/** The contract's own pages, and our default port. */
const USUAL = new Set(["http://localhost:3000", "http://127.0.0.1:3000", "http://localhost:6006", "http://127.0.0.1:6006"]);

/** The origin of an address that somebody typed or a page sent; null for anything that isn't a plain web server. */
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
  const found = serverOrigin(origin);
  return found !== null && found === origin && LOOPBACK.has(new URL(found).hostname);
}

export const isUsual = (origin: string): boolean => USUAL.has(origin);
