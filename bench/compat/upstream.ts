// Asks upstream's own command what it says of documents that no index has judged.

import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { type CorpusDocument, hashOf, type Verdicts } from "./corpus.ts"

const run = promisify(execFile)

/** The verdicts with those of all documents without one. The command is run once for each. */
export async function askUpstream(
  command: string,
  documents: readonly CorpusDocument[],
  known: Verdicts,
): Promise<Verdicts> {
  const verdicts: Record<string, string> = { ...known }
  for (const { accepted, path, text } of documents) {
    if (accepted !== undefined) continue
    try {
      await run(command, ["config", "validate", "--config", path])
      verdicts[hashOf(text)] = "ok"
    } catch (error) {
      if (typeof (error as { readonly code?: unknown }).code !== "number") throw error
      verdicts[hashOf(text)] = "no"
    }
  }
  return verdicts
}
