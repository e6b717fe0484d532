import { defineConfig } from "vitest/config";

/** The first waits half a minute for Chrome's alarm, the second runs axe in every state, the third loads eleven libraries. */
const LONG = ["**/sleep.spec.ts", "**/ui.spec.ts", "**/widgets.spec.ts"];
const isCampaign = "HANDRAIL_CAMPAIGN_SEED" in process.env;

// One browser per file; a small machine can run two files at a time.
export default defineConfig({
  test: {
    include: ["**/*.spec.ts"],
    exclude: isCampaign ? [] : LONG,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    fileParallelism: true,
    // Each file closes what it opened; Playwright is loaded once per worker.
    isolate: false,
    // Generous, because a busy machine takes longer.
    expect: { poll: { timeout: 60_000 } },
  },
});
