// Which packages are measured.

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { repository } from "../_shared/options.ts"

/** The built-in packages that the bars are for. */
const measured = ["signals", "guard", "decide"]

/** Names or folders as the worker takes them. Throws where there is nothing to measure. */
export function choosePackages(wanted: string | undefined): readonly string[] {
  if (wanted !== undefined) return [wanted]
  const text = readFileSync(join(repository, "models/builtin.json"), "utf8")
  const { models } = JSON.parse(text) as { readonly models: readonly { readonly name: string }[] }
  const found = measured.filter((name) => models.some((model) => model.name === name))
  if (found.length > 0) return found
  const names = models.map(({ name }) => name).join(", ")
  throw new Error(
    `Cannot choose a package: models/builtin.json has none of ${measured.join(", ")}; name one with --package, such as ${names}`,
  )
}
