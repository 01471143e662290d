import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

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
    include: ["test/**/*.test.ts", "examples/**/*.test.ts"],
    testTimeout: 30_000,
    // End-to-end files start processes that use both cores; running them beside each other would only make them time out.
    fileParallelism: false,
  },
})
