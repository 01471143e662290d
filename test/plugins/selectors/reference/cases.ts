// Random inputs with the answers of the independent reference in Python beside this file.

import { spawnSync } from "node:child_process"
import { join } from "node:path"

export interface ReferenceCase<Input, Expected> {
  readonly input: Input
  readonly expected: Expected
}

/** A thousand cases of a selector, always the same. Throws where there is no `python3`: without it nothing would be compared. */
export function referenceCases<Input, Expected>(selector: string): readonly ReferenceCase<Input, Expected>[] {
  const file = join(import.meta.dirname, `${selector}.py`)
  const { status, stdout, stderr, error } = spawnSync("python3", ["-B", file], { encoding: "utf8", maxBuffer: 2 ** 27 })
  if (status !== 0) throw new Error(`Cannot run python3 ${file}: ${error?.message ?? stderr}`)
  return JSON.parse(stdout) as readonly ReferenceCase<Input, Expected>[]
}
