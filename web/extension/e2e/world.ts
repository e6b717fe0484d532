/** A real Chromium with the built extension, paired with a server that implements the contract. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { type BrowserContext, chromium, type Page, type Worker } from "playwright-core";
import { PeerServer } from "./server";
import { type Sites, startSites } from "./sites";

export const EXTENSION = fileURLToPath(new URL("../../../src/handrail/extension", import.meta.url));
const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const isRoot = process.getuid?.() === 0;

const FLAGS = [
  `--load-extension=${EXTENSION}`,
  "--disable-features=DisableLoadExtensionCommandLineSwitch,Translate,MediaRouter,OptimizationHints",
  // Chrome reports that a program drives it; the person that the tests simulate wouldn't.
  "--disable-blink-features=AutomationControlled",
  "--silent-debugger-extension-api", "--no-first-run", "--no-default-browser-check", "--disable-background-networking", "--disable-component-update",
  "--disable-sync", "--disable-default-apps", "--disable-breakpad", "--disable-domain-reliability", "--metrics-recording-only", "--password-store=basic",
  "--use-mock-keychain", "--disable-gpu", "--disable-dev-shm-usage", "--disable-search-engine-choice-screen", "--hide-crash-restore-bubble",
];

export interface Options { locale?: string; colorScheme?: "light" | "dark"; isPaired?: boolean }

export class World {
  readonly taskId = randomUUID();

  private constructor(readonly server: PeerServer, readonly sites: Sites, readonly context: BrowserContext, private readonly profile: string) {}

  static async open({ locale = "en-US", colorScheme = "light", isPaired = true }: Options = {}): Promise<World> {
    const [server, sites] = await Promise.all([new PeerServer().start(), startSites()]);
    const profile = mkdtempSync(`${tmpdir()}/handrail-e2e-`);
    const context = await chromium.launchPersistentContext(profile, {
      executablePath,
      channel: undefined as never,
      headless: true,
      colorScheme,
      viewport: null,
      ignoreDefaultArgs: ["--disable-extensions", "--disable-back-forward-cache", "--disable-component-extensions-with-background-pages"],
      args: [...FLAGS, `--lang=${locale}`, "--window-size=1280,800", ...(isRoot ? ["--no-sandbox"] : [])],
      env: { ...process.env, LANGUAGE: locale.replace("-", "_") } as Record<string, string>,
    });
    // Playwright dismisses dialogs without a listener; here the extension has to.
    context.on("dialog", () => undefined);
    const world = new World(server, sites, context, profile);
    if (isPaired) await world.pair();
    return world;
  }

  async close(): Promise<void> {
    await this.context.close();
    await Promise.all([this.server.stop(), this.sites.stop()]);
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  async worker(): Promise<Worker> {
    return this.context.serviceWorkers()[0] ?? (await this.context.waitForEvent("serviceworker"));
  }

  async extensionId(): Promise<string> {
    return new URL((await this.worker()).url()).host;
  }

  async extensionPage(name: "popup" | "options"): Promise<Page> {
    const page = await this.context.newPage();
    await page.goto(`chrome-extension://${await this.extensionId()}/${name}.html`);
    return page;
  }

  /** The window in which the extension asks; it opens automatically. */
  async asking(name: "pair" | "confirm"): Promise<Page> {
    const found = (): Page | undefined => this.context.pages().find((page) => page.url().endsWith(`/${name}.html`));
    await expect.poll(found).toBeDefined();
    return found()!;
  }

  async pair(): Promise<void> {
    const page = await this.extensionPage("options");
    await page.locator("input[name=server]").fill(this.server.url);
    await page.locator("input[name=code]").fill(this.server.newCode());
    await page.locator("form button[type=submit]").click();
    await this.server.connected();
    await page.close();
  }

  /** The action's result; a failure is thrown, starting with its code. */
  async act(action: Record<string, any>, extra: Record<string, any> = {}): Promise<Record<string, any>> {
    const { status, result, error } = await this.server.act(this.taskId, action, extra);
    if (status === "error") throw Object.assign(new Error(`${error!.code}: ${error!.message}`), error);
    return result!;
  }

  async refusal(action: Record<string, any>, extra: Record<string, any> = {}): Promise<Record<string, any>> {
    const { status, error, result } = await this.server.act(this.taskId, action, extra);
    if (status !== "error") throw new Error(`not refused: ${JSON.stringify(result)}`);
    return error!;
  }

  /** A tab of the task with one of our pages, and Playwright's view of it to check against. */
  async visit(path: string): Promise<{ tabId: number; page: Page }> {
    const url = `${this.sites.here}${path}`;
    const opened = this.context.waitForEvent("page");
    const { tabId } = await this.act({ task_start: { url } });
    const page = await opened;
    await page.waitForURL(url);
    return { tabId: tabId as number, page };
  }

  /** Opens another of our pages; Playwright notices a navigation later than the extension. */
  async go(tabId: number, page: Page, path: string): Promise<Record<string, any>> {
    const url = `${this.sites.here}${path}`;
    const gone = await this.act({ browser_navigate: { tabId, url } });
    await expect.poll(() => page.evaluate(() => [location.href, document.readyState]).catch(String)).toEqual([url, "complete"]);
    return gone;
  }

  async index(tabId: number, more: Record<string, unknown> = {}): Promise<Record<string, any>[]> {
    return (await this.act({ browser_dom_index: { tabId, ...more } }))["elements"] as Record<string, any>[];
  }

  async find(tabId: number, name: string): Promise<string> {
    const elements = await this.index(tabId);
    const found = elements.find((one) => one["name"] === name);
    if (!found) throw new Error(`no ${name} among ${elements.map((one) => one["name"]).join(", ")}`);
    return found["clickId"] as string;
  }
}
