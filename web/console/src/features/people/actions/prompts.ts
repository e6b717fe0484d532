/** Reads questions, processes their events, and sends answers. */

import { fetchData, HostError, postJson, type PromptEntry, type PromptResponse, type RequestEntry } from "@handrail/host";
import { markTooLate, moveOn, receive, replacePending } from "../logic/queue";
import { visible } from "../../../logic/visible";
import { askOf } from "../logic/ask";
import { cardOf } from "../logic/card";
import { notify } from "./notice";
import { announcement, page, subject, texts } from "../../../store";
import { isPanelOpen, olderPrompts, queue } from "../store";
import { currentHost } from "../../../shell/line";
import { PAGE, token } from "../../../ui/paging";
import { closePanel, showPrompt } from "./panel";

interface PromptPage {
  entries: PromptEntry[];
  next?: string | number | null;
}

export const OWN_TITLES: Readonly<Record<string, string>> = { "handrail/attempt_completion": "Done", "handrail/agent": "Plan", "handrail/ask_followup_question": "A question" };
/** The server's name for an answer given in the chat. */
const BY_WORDS = "the chat";
const LONGEST_HEADLINE = 160;
let isHistoryRead = false;

export async function reloadPrompts(): Promise<void> {
  const knownBefore = queue.value.order;
  const [answered, pending] = await Promise.all([
    fetchData<PromptPage>(`/api/prompts?state=answered&limit=${PAGE}`),
    allPending(),
  ]);
  queue.value = receive(queue.value, answered.entries);
  if (!isHistoryRead) olderPrompts.value = token(answered.next);
  isHistoryRead = true;
  announceNew(pending, false);
  queue.value = replacePending(queue.value, pending, knownBefore);
}

async function allPending(): Promise<RequestEntry[]> {
  const entries: RequestEntry[] = [];
  let before: string | undefined;
  do {
    const part: PromptPage = await fetchData(`/api/prompts?state=pending&limit=${PAGE}${before ? `&before=${encodeURIComponent(before)}` : ""}`);
    entries.push(...part.entries.filter((entry) => entry.action === "request"));
    before = token(part.next);
  } while (before);
  return entries.sort((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : 0));
}

export function receiveEntries(entries: readonly PromptEntry[]): void {
  const answeredIds = new Set(entries.filter((entry) => entry.action === "response").map((entry) => entry.requestId));
  announceNew(entries.filter((entry) => entry.action === "request" && !answeredIds.has(entry.requestId)) as RequestEntry[], true);
  queue.value = receive(queue.value, entries);
  // What was answered in the chat doesn't have to be dismissed as well.
  const isSaid = entries.some((entry) => entry.action === "response" && entry.requestId === queue.value.shown && entry.answeredBy === BY_WORDS);
  if (isSaid) queue.value = moveOn(queue.value);
}

/** A new prompt appears without taking the focus, so that typing elsewhere isn't interrupted. */
function announceNew(requests: readonly RequestEntry[], isNews: boolean): void {
  for (const entry of requests) {
    if (queue.value.prompts.has(entry.requestId)) continue;
    const title = titleOf(entry);
    announcement.value = texts.value.arrived(title);
    // In its own task's conversation it is shown in place; a result that arrived while the page was closed can be read
    // at any time.
    if (!isInOpenChat(entry) && (isNews || entry.prompt.kind !== "result")) isPanelOpen.value = true;
    notify(nameOf(entry), entry, () => showPrompt(entry.requestId));
  }
}

const isInOpenChat = ({ runId }: RequestEntry): boolean => page.value === "chat" && runId !== undefined && runId === subject.value;

/** An agent's short question is its own headline. */
export const isHeadline = ({ isOwn, prompt: { source, message = "" } }: RequestEntry): boolean =>
  isOwn === true && source === "handrail/ask_followup_question" && message.length <= LONGEST_HEADLINE && !message.includes("\n");

export const titleOf = (entry: RequestEntry): string => (isHeadline(entry) ? visible(entry.prompt.message ?? "") : nameOf(entry));

/** Excludes the agent's own words, which may be private. */
function nameOf(entry: RequestEntry): string {
  const { title, kind, source = "" } = entry.prompt;
  const card = cardOf(entry);
  if (card && entry.prompt.kind === "file_change_confirm") return askOf(card, entry.prompt);
  // handrail's own questions have a name in every language; another program that uses such a source keeps its own
  // words.
  const own = texts.value.ownTitles[source];
  if (own && title === OWN_TITLES[source]) return own;
  return visible(title || (texts.value.kinds[kind] ?? texts.value.unknownKind));
}

export async function loadOlderPrompts(): Promise<void> {
  if (!olderPrompts.value) return;
  const part = await fetchData<PromptPage>(`/api/prompts?state=answered&limit=${PAGE}&before=${encodeURIComponent(olderPrompts.value)}`);
  queue.value = receive(queue.value, part.entries);
  olderPrompts.value = token(part.next);
}

/** The answer names the requestId that was shown, so it can't reach another question. */
export async function respond(request: RequestEntry, response: PromptResponse, presence?: object): Promise<void> {
  const host = currentHost();
  if (!host) throw new HostError("OFFLINE", texts.value.connection.offline, 0);
  const { requestId, runId } = request;
  try {
    await host.uiPrompts.respond({ requestId, ...(runId === undefined ? {} : { runId }), response, ...(presence ? { presence } : {}) });
  } catch (error) {
    const isSettledElsewhere = error instanceof HostError && (error.status === 409 || error.status === 404);
    if (!isSettledElsewhere) throw error;
    queue.value = markTooLate(queue.value, requestId);
    announcement.value = texts.value.tooLate;
    await reloadPrompts();
    return;
  }
  announcement.value = texts.value.sent;
  const received = receive(queue.value, [{ ts: new Date().toISOString(), type: "ui_prompt", action: "response", requestId, response: withoutSecrets(request, response) }]);
  // Answered in its conversation; what the panel shows stays there.
  queue.value = received.shown === requestId ? moveOn(received) : received;
  if (queue.value.shown === null) closePanel();
}

interface Answers {
  answers: { requestId: string; ok: boolean; error?: { message: string } }[];
}

/** The same answer to exactly these, as shown. Those that couldn't be answered are reported and stay. */
export async function respondToAll(requests: readonly RequestEntry[], response: PromptResponse): Promise<string[]> {
  const items = requests.map(({ requestId, digest }) => ({ requestId, digest }));
  const { answers } = await postJson<Answers>("/api/prompts/responses", { items, response });
  announcement.value = texts.value.sent;
  await reloadPrompts();
  const isShownAnswered = answers.some(({ requestId, ok }) => ok && requestId === queue.value.shown);
  if (isShownAnswered) queue.value = moveOn(queue.value);
  if (queue.value.shown === null) closePanel();
  return answers.flatMap(({ error }) => (error ? [visible(error.message)] : []));
}

/** The response as the log has it: secrets went only to the waiting program. */
function withoutSecrets({ prompt }: RequestEntry, response: PromptResponse): PromptResponse {
  if (prompt.kind !== "kv" || !response.values) return response;
  const values = { ...response.values };
  for (const field of prompt.fields) if (field.secret && field.key in values) values[field.key] = "******";
  return { ...response, values };
}
