// Real documents: files of npm packages that this repository installs. No guard learned from these packages.

import { createHash } from "node:crypto"
import { globSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { repository } from "../_shared/options.ts"
import type { Parts } from "./texts.ts"

export interface Documents {
  /** The lines of files, one behind the other, until there are so many words. */
  ofWords(count: number): Parts
}

/** `measures` of models/train/documents.py. */
const measures = (folder: string): boolean => (createHash("sha256").update(basename(folder)).digest()[0] ?? 0) % 4 === 0

const kinds = ["*.md", "LICENSE", "*.d.ts", "*.js", "lib/*.js", "src/*.ts", "docs/*.md"]
/** Minified code has no lines. */
const longestLine = 160
const leastLength = 600
/** The documents of a few packages would be all there is, if they gave all that they have. */
const filesOfKind = 4

export function createDocuments(random: () => number): Documents {
  const files = globSync(["node_modules/*", "node_modules/@*/*"], { cwd: repository })
    .filter((folder) => !basename(folder).startsWith("@") && measures(folder))
    .toSorted()
    .flatMap((folder) => kinds.flatMap((kind) => filesOf(join(repository, folder), kind)))
  const texts = files
    .map((file) => readFileSync(file, "utf8"))
    .filter((text) => text.length >= leastLength && text.length <= longestLine * text.split("\n").length)
  return {
    ofWords(count) {
      const lines: string[] = []
      let words = 0
      while (words < count)
        for (const line of (texts[Math.floor(random() * texts.length)] ?? "").split(/(?<=\n)/)) {
          words += line.match(/\S+/g)?.length ?? 0
          lines.push(line)
          if (words >= count) break
        }
      return lines
    },
  }
}

const filesOf = (folder: string, kind: string): readonly string[] =>
  globSync(kind, { cwd: folder })
    .toSorted()
    .slice(0, filesOfKind)
    .map((name) => join(folder, name))
