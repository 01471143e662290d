// Finds files that come with the product.

import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** Looks beside the package's own files first, then up the tree, so that it works unbuilt, bundled and installed. */
export function findUp(relative: string): string | undefined {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const candidate = join(folder, relative)
    if (existsSync(candidate)) return candidate
    if (dirname(folder) === folder) return undefined
  }
}
