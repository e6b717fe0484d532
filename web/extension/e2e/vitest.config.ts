import { defineConfig } from "vitest/config";

/** The first waits half a minute for Chrome's alarm, the second has axe look at every state, the third loads eleven libraries. */
const LONG = ["**/sleep.spec.ts", "**/ui.spec.ts", "**/widgets.spec.ts"];
const isCampaign = "HANDRAIL_CAMPAIGN_SEED" in process.env;

// One browser a file; two files at a time are what a small machine can show fluently.
export default defineConfig({
  test: {
    include: ["**/*.spec.ts"],
    exclude: isCampaign ? [] : LONG,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    fileParallelism: true,
    // Each file closes what it opened; Playwright is loaded once a worker.
    isolate: false,
    // What is awaited comes in its own time, on a busy machine too.
    expect: { poll: { timeout: 60_000 } },
  },
});
