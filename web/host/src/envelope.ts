/** The response of every handrail route: `{ok:true,data}` or `{ok:false,error}`. */

import { pageHeaders } from "./page-secret.js";

export interface FieldError {
  /** The path to the field, with dots: `values.name`, `tasks.0.title`. */
  field: string;
  message: string;
}

export interface ErrorDetails {
  fieldErrors?: FieldError[];
  [name: string]: unknown;
}

/** A refusal with handrail's error code; `OFFLINE` if nothing answered. */
export class HostError extends Error {
  override readonly name = "HostError";

  constructor(
    readonly code: string,
    message: string,
    readonly status: number,
    readonly details: ErrorDetails = {},
  ) {
    super(message);
  }
}

interface Envelope<Data> {
  ok: boolean;
  data?: Data;
  error?: { code?: string; message?: string; details?: ErrorDetails };
}

/** `Data` is what the caller knows of the route: the server is of the same release. */
export async function fetchData<Data>(url: string, init: RequestInit = {}): Promise<Data> {
  let answer: Response;
  let envelope: Envelope<Data>;
  try {
    answer = await fetch(url, { credentials: "same-origin", cache: "no-store", ...init, headers: withPage(url, init.headers) });
  } catch {
    throw new HostError("OFFLINE", "handrail isn't responding.", 0);
  }
  try {
    envelope = (await answer.json()) as Envelope<Data>;
  } catch {
    throw new HostError("INTERNAL", `handrail answered ${answer.status} without a readable body.`, answer.status);
  }
  if (!envelope.ok) {
    const { code = "INTERNAL", message = `handrail answered ${answer.status}.`, details } = envelope.error ?? {};
    throw new HostError(code, message, answer.status, details);
  }
  return envelope.data as Data;
}

/** A plain file without an envelope: pictures, evidence, reports. An address in a page couldn't carry the secret. */
export async function fetchFile(url: string): Promise<Blob> {
  const answer = await fetch(url, { credentials: "same-origin", headers: withPage(url) }).catch(() => null);
  if (answer === null) throw new HostError("OFFLINE", "handrail isn't responding.", 0);
  if (!answer.ok) throw new HostError("NOT_FOUND", `handrail answered ${answer.status}.`, answer.status);
  return await answer.blob();
}

/** The page's secret is sent only to its own origin. */
function withPage(url: string, given?: HeadersInit): Headers {
  const headers = new Headers(given);
  if (!/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(url)) for (const [name, value] of Object.entries(pageHeaders())) headers.set(name, value);
  return headers;
}

export function deleteAt<Data>(url: string): Promise<Data> {
  return fetchData<Data>(url, { method: "DELETE" });
}

export function postJson<Data>(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Data> {
  return fetchData<Data>(url, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}
