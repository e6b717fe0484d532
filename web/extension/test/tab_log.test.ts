import { expect, test } from "vitest";
import { TabLog } from "../src/worker/tab_log";

const request = (requestId: string, type = "Fetch", loaderId = "L1") => ({ requestId, type, loaderId, request: { url: `http://x/${requestId}`, method: "GET" } });

test("failed requests are kept, canceled ones are not", () => {
  const log = new TabLog();
  for (const id of ["bad", "refused", "left"]) log.note("Network.requestWillBeSent", request(id));
  log.note("Network.responseReceived", { requestId: "bad", response: { status: 500 } });
  log.note("Network.loadingFailed", { requestId: "refused", errorText: "net::ERR_CONNECTION_REFUSED" });
  log.note("Network.loadingFailed", { requestId: "left", errorText: "net::ERR_ABORTED", canceled: true });
  expect(log.requests.map(({ url, status, error }) => [url, status ?? error])).toEqual([["http://x/bad", 500], ["http://x/refused", "net::ERR_CONNECTION_REFUSED"]]);
});

test("leaving a page ends its open requests", () => {
  const log = new TabLog();
  log.note("Network.requestWillBeSent", request("old"));
  log.note("Network.requestWillBeSent", request("new", "Document", "L2"));
  log.note("Page.frameNavigated", { frame: { parentId: "top", loaderId: "L9" } });
  expect(log.open).toBe(2);
  log.note("Page.frameNavigated", { frame: { loaderId: "L2" } });
  expect(log.open).toBe(1);
});

test("waiting for a request ends with it", async () => {
  const log = new TabLog();
  log.note("Network.requestWillBeSent", request("a"));
  expect(log.openSince(0)).toBe(1);
  const ended = log.nextEnd();
  log.note("Network.loadingFinished", { requestId: "a" });
  await ended;
  expect(log.openSince(0)).toBe(0);
});

test("the console keeps its last messages and counts them all", () => {
  const log = new TabLog();
  for (let at = 0; at < 500; at++) log.note("Runtime.consoleAPICalled", { type: "log", args: [{ type: "string", value: `m${at}` }, { type: "number", value: at, description: String(at) }], timestamp: at });
  expect(log.consoleTotal).toBe(500);
  expect(log.console).toHaveLength(200);
  expect(log.console.at(-1)).toEqual({ level: "log", text: "m499 499", timestamp: 499 });
});
