// The corpus of real documents: a folder with `configs`, `configs-v04` and `contract`, each with an index.tsv.

import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

export const sets = ["configs", "configs-v04", "contract"] as const
export type SetName = (typeof sets)[number]

export interface CorpusDocument {
  readonly set: SetName
  readonly file: string
  readonly path: string
  readonly text: string
  /** Whether upstream accepts it in this spelling; undefined where nobody has asked. */
  readonly accepted: boolean | undefined
  /** Whether any of upstream's validators accepts it, in either spelling. */
  readonly acceptedSomewhere: boolean | undefined
}

/** SHA-256 of a document to `ok` or `no`: what upstream's 0.4.0 says of documents whose index has no verdict. */
export type Verdicts = Readonly<Record<string, string>>

/** Every document that the indexes name and `only` fits. */
export function readCorpus(folder: string, verdicts: Verdicts, only: RegExp | undefined): readonly CorpusDocument[] {
  return sets.flatMap((set) => {
    const index = join(folder, set, "index.tsv")
    if (!existsSync(index)) return []
    return readTable(readFileSync(index, "utf8"))
      .filter(({ file = "" }) => only === undefined || only.test(`${set}/${file}`))
      .map((row) => toDocument(folder, set, row, verdicts))
  })
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16)
}

function toDocument(folder: string, set: SetName, row: Row, verdicts: Verdicts): CorpusDocument {
  const file = row["file"] ?? ""
  const path = join(folder, set, file)
  const text = readFileSync(path, "utf8")
  const asked = verdicts[hashOf(text)]
  // The snapshot of August judges its own spelling, 0.4.0 what its own `config migrate` made of it.
  const verdict = {
    configs: row["aug_cli"],
    "configs-v04": row["v04_cli_migrated"],
    contract: row["v04_cli"] ?? asked,
  }[set]
  const all = ["aug_cli", "v04_cli", "v04_cli_migrated", "v05dev_cli_migrated"].map((column) => row[column])
  return {
    set,
    file,
    path,
    text,
    accepted: verdict === undefined ? undefined : verdict === "ok",
    acceptedSomewhere: verdict === undefined ? undefined : verdict === "ok" || all.includes("ok"),
  }
}

type Row = Readonly<Record<string, string | undefined>>

function readTable(text: string): readonly Row[] {
  const [head = "", ...lines] = text.split("\n").filter((line) => line !== "")
  const columns = head.split("\t")
  return lines.map((line) => {
    const cells = line.split("\t")
    return Object.fromEntries(columns.map((column, index) => [column, cells[index]]))
  })
}
