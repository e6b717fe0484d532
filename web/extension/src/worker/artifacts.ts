/** Large results are uploaded to an address, never sent through the socket. */

import { Failure } from "./failure";
import type { Deadline } from "./deadline";
import { pairing } from "./settings";

/** As bytes: a blob takes a detour through the browser's process. */
export interface Content { bytes: Uint8Array<ArrayBuffer>; type: string }
export interface Uploaded { artifactId: string; url: string }

/** `…/api/artifacts/<id>/upload?token=…` */
export function artifactIdOf(uploadUrl: string): string | undefined {
  return /\/artifacts\/([^/?#]+)\/upload/.exec(uploadUrl)?.[1];
}

export async function upload(uploadUrl: string | undefined, artifactId: string | undefined, { bytes, type }: Content, deadline: Deadline): Promise<Uploaded> {
  if (!uploadUrl) throw new Failure("ARTIFACT_UPLOAD_FAILED", "The message carries no upload address.", {}, false);
  const id = artifactIdOf(uploadUrl) ?? artifactId ?? "";
  let response: Response;
  try {
    response = await fetch(uploadUrl, {
      method: "PUT",
      headers: { "content-type": type },
      body: bytes,
      credentials: "omit",
      signal: AbortSignal.timeout(Math.max(1, deadline.left())),
    });
  } catch (error) {
    throw new Failure("ARTIFACT_UPLOAD_FAILED", `The upload failed: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!response.ok) throw new Failure("ARTIFACT_UPLOAD_FAILED", `The upload was refused with status ${response.status}.`, { status: response.status });
  const answer = (await response.json().catch(() => ({}))) as { data?: { downloadUrl?: string } };
  return { artifactId: id, url: answer.data?.downloadUrl ?? uploadUrl.replace(/\/upload(\?.*)?$/, "") };
}

export async function download(url: string, deadline: Deadline): Promise<Blob> {
  const credentials = await pairing();
  // The token is sent only to our own server.
  const headers: Record<string, string> = credentials && new URL(url).origin === credentials.server ? { authorization: `Bearer ${credentials.token}` } : {};
  const response = await fetch(url, { headers, credentials: "omit", signal: AbortSignal.timeout(Math.max(1, deadline.left())) }).catch((error: unknown) => {
    throw new Failure("PLUGIN_ERROR", `The artifact could not be fetched: ${String(error)}`, {}, true);
  });
  if (!response.ok) throw new Failure("PLUGIN_ERROR", `The artifact could not be fetched: status ${response.status}.`);
  return await response.blob();
}
