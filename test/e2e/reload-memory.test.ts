import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, test } from "vitest"

const root = join(import.meta.dirname, "../..")

test.skipIf(process.platform !== "linux")(
  "models that are loaded again and again leave no memory behind",
  async () => {
    const fixture = join(import.meta.dirname, "fixtures/model-reloads.ts")
    const models = ["signals", "decide", "guard"].map((name) => join(root, "models", name))

    const { stdout } = await promisify(execFile)(process.execPath, [fixture, "12", ...models])

    const left = stdout.trim().split("\n").map(Number)
    expect(left).toHaveLength(12)
    // Single loads leave between 50 and 240 MiB. Half of the last eight leave less than 110; 206 and more where freed pages stay.
    const [, , , median = Number.NaN] = left.slice(-8).toSorted((a, b) => a - b)
    expect(median).toBeLessThan(150)
  },
  120_000,
)
