/**
 * The secret that the server gives this page at sign-in. The session's cookie is worth nothing without it: a browser
 * also sends cookies to other ports of the same host, but this storage belongs to the exact origin.
 */

const KEY = "handrail.page";

export function pageSecret(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** Throws if the browser has no storage, because then nobody can sign in. */
export function keepPageSecret(secret: string | undefined): void {
  if (secret !== undefined) localStorage.setItem(KEY, secret);
}

export function forgetPageSecret(): void {
  localStorage.removeItem(KEY);
}

export function pageHeaders(): Record<string, string> {
  const secret = pageSecret();
  return secret === null ? {} : { "x-handrail-page": secret };
}
