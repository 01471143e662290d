import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** These start processes, such as routers and workers. Two at a time: they mostly wait for each other's answers. */
const processes = ["test/e2e/**/*.test.ts", "test/kernel/runtime/native.test.ts"]

/** Of them, those that use every core, measure time or memory, or pack the repository: beside others they would fail. */
const serial = [
  "test/e2e/{backend-faults,upstream-misbehaviour,reliability,fairness,live-configuration,stream-plugins}.test.ts",
  "test/e2e/{gateway-soak,reload-memory,long-texts,planted-attacks,bench,profiles}.test.ts",
  "test/e2e/{package,prepare,quickstart,compiled-code}.test.ts",
  "test/e2e/worker-*.test.ts",
  "test/kernel/runtime/native.test.ts",
]

export default defineConfig({
  resolve: {
    // Outside modules and examples import the public entries; in tests these are the sources.
    alias: [
      { find: /^rtr$/, replacement: source("ts/kernel/index.ts") },
      { find: /^rtr\/node$/, replacement: source("ts/node.ts") },
      { find: /^rtr\/(deno|edge)$/, replacement: source("ts/kernel/runtime/$1.ts") },
      { find: /^rtr\/testing$/, replacement: source("ts/testing/index.ts") },
    ],
  },
  test: {
    testTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["test/**/*.test.ts", "examples/**/*.test.ts"],
          exclude: processes,
          // Processes and not threads: a thread has a larger stack, so that it would not show what recursion does to a router.
          pool: "forks",
          // Starting a worker for each file takes longer than most files do. Tests leave no state behind.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "pairs",
          include: processes,
          exclude: serial,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "serial",
          include: serial,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
