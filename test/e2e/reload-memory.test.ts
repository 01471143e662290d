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
    // The heap moves by the megabytes of one model; twelve loads that leave theirs behind come to more than 250.
    expect(Math.min(...left.slice(-4))).toBeLessThan(130)
  },
  120_000,
)
