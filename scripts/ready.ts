// npm run ready: everything that must hold before a change may land. With --skip-tests, everything but the tests.

import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { run } from "./run.ts"

const root = join(import.meta.dirname, "..")
const bin = (name: string): string => join("node_modules/.bin", name)

await run("Generate", process.execPath, ["scripts/gen-manifest.ts"])
checkGenerated()
await run("Format", bin("oxfmt"), ["--check", "."])
await run("Format Rust", "cargo", ["fmt", "--all", "--check"])
await run("Lint", bin("oxlint"), [])
await run("Types", bin("tsc"), ["-p", "."])
await run("Types of the kernel without Node", bin("tsc"), ["-p", "ts/kernel"])
if (!process.argv.includes("--skip-tests")) await run("Tests", process.execPath, ["scripts/test.ts"])
await run("Clippy", "cargo", ["clippy", "--workspace", "--all-targets", "--quiet", "--", "--deny", "warnings"])
await run("Budgets", process.execPath, ["bench/check-budgets.ts"])

/** Generated files are committed; a change here means somebody forgot `npm run gen`. */
function checkGenerated(): void {
  const changed = execFileSync(
    "git",
    [
      "status",
      "--porcelain",
      "--",
      "ts/plugins/registry.gen.ts",
      "ts/plugins/_shared/guards/builtin-models.gen.ts",
      "plugins-manifest.json",
      "docs/reference.md",
      "ts/cli/management-client.gen.ts",
    ],
    { cwd: root, encoding: "utf8" },
  )
  if (changed === "") return
  process.stderr.write(`Generated files differ from what is committed; commit the result of npm run gen:\n${changed}`)
  process.exit(1)
}
