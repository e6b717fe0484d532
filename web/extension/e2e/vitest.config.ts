import { defineConfig } from "vitest/config";

// One browser a file; two files at a time are what a small machine can show fluently.
export default defineConfig({
  test: {
    include: ["**/*.spec.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    fileParallelism: true,
    // What is awaited comes in its own time, on a busy machine too.
    expect: { poll: { timeout: 20_000 } },
  },
});
