// npm test: every test there is, TypeScript first, then Rust.

import { run } from "./run.ts"

await run("TypeScript tests", "node_modules/.bin/vitest", ["run", ...process.argv.slice(2)])
if (process.argv.length === 2) await run("Rust tests", "cargo", ["test", "--workspace", "--quiet"])
