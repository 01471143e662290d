// Writes outside modules into a folder where rtr is installed.

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder } from "./_processes.ts"

/** Returns the path of each module by its name. */
export function writeModules<Name extends string>(
  sources: Readonly<Record<Name, string>>,
): Readonly<Record<Name, string>> {
  const folder = temporaryFolder()
  mkdirSync(join(folder, "node_modules"))
  // Node does not strip types inside node_modules, so the folder links to this checkout.
  symlinkSync(join(import.meta.dirname, "../.."), join(folder, "node_modules/rtr"))
  writeFileSync(join(folder, "package.json"), '{"type":"module"}')
  const paths = Object.entries<string>(sources).map(([name, source]) => {
    const path = join(folder, `${name}.ts`)
    writeFileSync(path, source)
    return [name, path]
  })
  return Object.fromEntries(paths) as Readonly<Record<Name, string>>
}
