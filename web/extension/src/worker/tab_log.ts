/** What happened in a tab, according to the debugger: console, requests, dialogs, downloads, requested files. */

export interface ConsoleMessage { level: string; text: string; timestamp: number; url?: string; line?: number }
export interface FailedRequest { url: string; method: string; status?: number; error?: string; timestamp: number }
/** `answer`: how it was answered automatically. */
export interface Dialog { type: string; message: string; answer?: "accepted" | "dismissed" }
export interface Download { filename: string; url: string; state: string }

const KEPT = 200;
const LONGEST = 2000;

/** A request that stays open longer is a stream, which isn't waited for. */
const STREAM_MS = 10_000;

interface Pending { url: string; method: string; type: string; loaderId: string; startedAt: number; status?: number }

export class TabLog {
  readonly console: ConsoleMessage[] = [];
  readonly requests: FailedRequest[] = [];
  consoleTotal = 0;
  requestsTotal = 0;
  readonly dialogs: Dialog[] = [];
  downloads = new Map<string, Download>();
  private readonly pending = new Map<string, Pending>();
  private readonly waiting = new Set<() => void>();

  /** Each dialog is returned once. */
  takeDialogs(): Dialog[] {
    return this.dialogs.splice(0);
  }

  /** Number of open script requests that a click may have started. */
  openSince(moment: number): number {
    return [...this.pending.values()].filter((one) => one.startedAt >= moment && (one.type === "XHR" || one.type === "Fetch")).length;
  }

  get open(): number {
    const now = performance.now();
    return [...this.pending.values()].filter((one) => now - one.startedAt < STREAM_MS).length;
  }

  /** Resolves when the next request ends or a download begins. */
  nextEnd(): Promise<void> {
    return new Promise((resolve) => this.waiting.add(resolve));
  }

  note(method: string, params: Record<string, any>): void {
    switch (method) {
      case "Runtime.consoleAPICalled":
        return this.say(params["type"], (params["args"] as RemoteObject[]).map(shown).join(" "), params["timestamp"], origin(params["stackTrace"]));
      case "Runtime.exceptionThrown": {
        const details = params["exceptionDetails"];
        const at = details.url ? { url: details.url, line: details.lineNumber + 1 } : {};
        return this.say("error", details.exception?.description ?? details.text, params["timestamp"], at);
      }
      case "Log.entryAdded": {
        const { level, text, timestamp, url, lineNumber } = params["entry"];
        return this.say(level, text, timestamp, { ...(url ? { url } : {}), ...(lineNumber === undefined ? {} : { line: lineNumber + 1 }) });
      }
      case "Network.requestWillBeSent":
        return this.begin(params["requestId"], params["request"], params["type"] ?? "Other", params["loaderId"]);
      case "Network.responseReceived": {
        const request = this.pending.get(params["requestId"]);
        if (!request) return;
        request.status = params["response"].status;
        if (request.status! >= 400) this.fail({ url: request.url, method: request.method, status: request.status!, timestamp: Date.now() });
        // A stream stays open; once it responds, it isn't waited for.
        if (params["type"] === "EventSource") this.end(params["requestId"]);
        return;
      }
      case "Page.frameNavigated":
        // The previous page's requests end without an event.
        if (!params["frame"].parentId) for (const [id, one] of this.pending) if (one.loaderId !== params["frame"].loaderId) this.pending.delete(id);
        return;
      case "Network.loadingFinished":
        return this.end(params["requestId"]);
      case "Network.loadingFailed": {
        const request = this.pending.get(params["requestId"]);
        if (request && !params["canceled"]) this.fail({ url: request.url, method: request.method, error: params["blockedReason"] ?? params["errorText"], timestamp: Date.now() });
        return this.end(params["requestId"]);
      }
      case "Page.downloadWillBegin":
        this.downloads.set(params["guid"], { filename: params["suggestedFilename"], url: params["url"], state: "inProgress" });
        return this.wake();
      case "Page.downloadProgress": {
        const download = this.downloads.get(params["guid"]);
        if (download) download.state = params["state"];
        return;
      }
    }
  }

  private begin(id: string, { url, method }: { url: string; method: string }, type: string, loaderId: string): void {
    this.pending.set(id, { url, method, type, loaderId, startedAt: performance.now() });
  }

  private say(level: string, text: string, timestamp: number, at: { url?: string; line?: number }): void {
    this.consoleTotal++;
    this.console.push({ level: level === "warning" ? "warn" : level, text: text.slice(0, LONGEST), timestamp: Math.round(timestamp), ...at });
    if (this.console.length > KEPT) this.console.shift();
  }

  private fail(request: FailedRequest): void {
    this.requestsTotal++;
    this.requests.push({ ...request, url: request.url.slice(0, LONGEST) });
    if (this.requests.length > KEPT) this.requests.shift();
  }

  private end(requestId: string): void {
    this.pending.delete(requestId);
    this.wake();
  }

  private wake(): void {
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }
}

interface RemoteObject { type: string; value?: unknown; description?: string; unserializableValue?: string; preview?: { properties: { name: string; value?: string }[] } }

function shown(value: RemoteObject): string {
  if (value.type === "string") return String(value.value);
  if (value.unserializableValue) return value.unserializableValue;
  if (value.preview) return `{${value.preview.properties.map(({ name, value: inner }) => `${name}: ${inner ?? ""}`).join(", ")}}`;
  return value.description ?? String(value.value);
}

function origin(stack?: { callFrames: { url: string; lineNumber: number }[] }): { url?: string; line?: number } {
  const top = stack?.callFrames[0];
  return top?.url ? { url: top.url, line: top.lineNumber + 1 } : {};
}
