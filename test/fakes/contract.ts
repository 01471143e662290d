// What a contract suite says of a module.

import type { ContractCase } from "rtr/testing"

/** Names of the cases that fail. */
export async function failuresOf(cases: readonly ContractCase[]): Promise<readonly string[]> {
  const failed: string[] = []
  for (const { name, run } of cases)
    try {
      await run()
    } catch {
      failed.push(name)
    }
  return failed
}
