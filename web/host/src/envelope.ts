/** The answer every route of handrail gives: `{ok:true,data}` or `{ok:false,error}`. */

export interface FieldError {
  /** The path to the field, with dots: `values.name`, `tasks.0.title`. */
  field: string;
  message: string;
}

export interface ErrorDetails {
  fieldErrors?: FieldError[];
  [name: string]: unknown;
}

/** What handrail refused, as it spelled it; `OFFLINE` when nothing answered. */
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
    answer = await fetch(url, { credentials: "same-origin", cache: "no-store", ...init });
  } catch {
    throw new HostError("OFFLINE", "handrail does not answer.", 0);
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

export function deleteAt<Data>(url: string): Promise<Data> {
  return fetchData<Data>(url, { method: "DELETE" });
}

export function postJson<Data>(url: string, body: unknown): Promise<Data> {
  return fetchData<Data>(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}
