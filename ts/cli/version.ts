// The version of the package that runs.

import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

export function readVersion(): string {
  const path = fileURLToPath(import.meta.resolve("rtr/package.json"))
  return (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version
}
