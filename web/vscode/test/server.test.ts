/** handrail's own server through the protocol of VS Code's language client: what the extension relies on. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  createProtocolConnection, type DocumentSymbol, type InitializeResult, type ProtocolConnection,
  type PublishDiagnosticsParams, StreamMessageReader, StreamMessageWriter,
} from "vscode-languageserver-protocol/node";
import manifest from "../package.json" with { type: "json" };

const handrail = fileURLToPath(new URL("../../../.venv/bin/handrail", import.meta.url));
const project = mkdtempSync(join(tmpdir(), "handrail-vscode-"));
const scene = join(project, "game/scene/start.txt");
const uri = pathToFileURL(scene).toString();
const TEXT = "雪乃:你好  ;\n真冷;\nchangeBg:gone.jpg;\nlabel:a;\nsetVar:love=1;\njumpLabel:a;\n";
const range = { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } };
let child: ChildProcess;
let server: ProtocolConnection;
let initialized: InitializeResult;
const published = new Map<string, string[]>();

const ask = <T>(method: string, params: object): Promise<T> => server.sendRequest(method, { textDocument: { uri }, ...params });
const run = <T>(name: string, given: object): Promise<T> =>
  server.sendRequest("workspace/executeCommand", { command: `handrail.server.${name}`, arguments: [{ uri, ...given }] });

beforeAll(async () => {
  mkdirSync(join(project, "game/scene"), { recursive: true });
  mkdirSync(join(project, "game/background"));
  writeFileSync(join(project, "game/background/here.jpg"), "");
  writeFileSync(scene, "end;");
  child = spawn(handrail, ["webgal", "lsp"], { stdio: ["pipe", "pipe", "inherit"] });
  server = createProtocolConnection(new StreamMessageReader(child.stdout!), new StreamMessageWriter(child.stdin!));
  server.onNotification("textDocument/publishDiagnostics", ({ uri, diagnostics }: PublishDiagnosticsParams) => {
    published.set(uri, diagnostics.map(({ code }) => String(code)));
  });
  server.listen();
  initialized = await server.sendRequest("initialize", {
    processId: process.pid, rootUri: null, capabilities: {}, initializationOptions: { language: "en" },
    workspaceFolders: [{ uri: pathToFileURL(project).toString(), name: "game" }],
  });
  await server.sendNotification("initialized", {});
  await server.sendNotification("textDocument/didOpen", {
    textDocument: { uri, languageId: manifest.contributes.languages[0]!.id, version: 1, text: TEXT },
  });
});

afterAll(async () => {
  await server.sendRequest("shutdown");
  await server.sendNotification("exit");
  await new Promise((done) => child.once("exit", done));
  server.dispose();
  rmSync(project, { recursive: true });
});

it("offers everything that the extension's page promises", () => {
  const { capabilities } = initialized;
  for (const name of [
    "completionProvider", "hoverProvider", "definitionProvider", "referencesProvider", "renameProvider",
    "codeActionProvider", "documentLinkProvider", "documentSymbolProvider", "workspaceSymbolProvider",
    "foldingRangeProvider", "documentFormattingProvider", "documentRangeFormattingProvider", "inlayHintProvider",
  ] as const) expect(capabilities[name], name).toBeTruthy();
  const commands = capabilities.executeCommandProvider?.commands;
  expect(commands).toEqual(expect.arrayContaining(["handrail.server.preview", "handrail.server.variables"]));
  // VS Code registers the server's commands by name: the extension's own must be others.
  expect(manifest.contributes.commands.filter(({ command }) => commands?.includes(command))).toEqual([]);
});

it("publishes the problems of the open text", async () => {
  await expect.poll(() => published.get(uri)).toEqual(["WG201", "WG123"]);
});

it("formats, folds, lists and hints", async () => {
  const options = { tabSize: 2, insertSpaces: true };
  expect(await ask("textDocument/formatting", { options })).toMatchObject([{ newText: "雪乃:你好;" }]);
  expect(await ask("textDocument/foldingRange", {})).toMatchObject([{ startLine: 3, endLine: 5 }]);
  const [label] = await ask<DocumentSymbol[]>("textDocument/documentSymbol", {});
  expect(label).toMatchObject({ name: "a", range: { start: { line: 3 }, end: { line: 5 } } });
  const hints = await ask<{ label: string }[]>("textDocument/inlayHint", { range });
  expect(hints.map((hint) => hint.label)).toEqual(["雪乃:", "→ line 4"]);
  const found = await server.sendRequest<{ name: string }[]>("workspace/symbol", { query: "lov" });
  expect(found.map(({ name }) => name)).toEqual(["love"]);
});

it("shows a line at an address that serves the engine, and lists variables", async () => {
  const { url } = await run<{ url: string }>("preview", { line: 0, variables: { 名字: "雪" } });
  const page = await fetch(url);
  expect(page.ok).toBe(true);
  expect(page.headers.get("content-security-policy")).toContain("vscode-webview:");
  expect(await run("variables", {})).toMatchObject([{ name: "love", sets: [{ uri }], reads: [] }]);
});
