// Texts of the kinds that requests are made of: prose, code, definitions of tools and other scripts.

import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { repository } from "../_shared/options.ts"

export interface Texts {
  readonly name: string
  readonly texts: readonly string[]
}

const most = 200

export function readTexts(data: string): readonly Texts[] {
  const rows = (file: string): readonly Row[] =>
    gunzipSync(readFileSync(join(data, `${file}.jsonl.gz`)))
      .toString()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Row)
  const texts = (file: string, source = ""): readonly string[] =>
    spread(rows(file).filter((row) => row.source.startsWith(source))).map(({ text }) => text)
  return [
    { name: "English: prompts", texts: [...texts("ordinary/autoj"), ...texts("ordinary/biggen")] },
    { name: "English: documentation", texts: texts("jailbreak/hardneg_docs") },
    { name: "English: instructions of agents", texts: texts("jailbreak/hardneg_prompts") },
    { name: "English: exam questions", texts: texts("domain/mmlu_pro") },
    { name: "Code: Python", texts: texts("fact_check/humaneval") },
    { name: "Code: TypeScript", texts: filesBelow(join(repository, "ts"), ".ts") },
    { name: "Code: Rust", texts: filesBelow(join(repository, "crates"), ".rs") },
    { name: "JSON: definitions of tools", texts: toolDefinitions() },
    { name: "JSON: results of tools", texts: texts("jailbreak/injecagent") },
    ...languages.map(([name, file, source]) => ({ name, texts: texts(file, source) })),
  ]
}

const languages = [
  ["Chinese", "ordinary/chinese", ""],
  ["Korean", "jailbreak/korean", ""],
  ["Arabic", "jailbreak/plain_harmful", "multijail/ar"],
  ["Bengali", "jailbreak/plain_harmful", "multijail/bn"],
  ["Thai", "jailbreak/plain_harmful", "multijail/th"],
  ["Vietnamese", "jailbreak/plain_harmful", "multijail/vi"],
  ["Italian", "jailbreak/plain_harmful", "multijail/it"],
  ["Swahili", "jailbreak/plain_harmful", "multijail/sw"],
  ["Javanese", "jailbreak/plain_harmful", "multijail/jv"],
] as const

interface Row {
  readonly text: string
  readonly source: string
}

/** So many of a list, from all of it. */
function spread<Item>(items: readonly Item[]): readonly Item[] {
  const step = Math.max(1, Math.floor(items.length / most))
  return items.filter((_, index) => index % step === 0).slice(0, most)
}

function filesBelow(folder: string, ending: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(ending))
  return spread(files.toSorted()).map((file) => readFileSync(join(folder, file), "utf8"))
}

/** The objects of the project's own schemas, as tools of a request. */
function toolDefinitions(): readonly string[] {
  const found: string[] = []
  const collect = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return
    const { type, properties, description } = value as Record<string, unknown>
    if (type === "object" && typeof properties === "object" && Object.keys(properties ?? {}).length > 1) {
      const tool = { name: `set_${found.length}`, description, parameters: value }
      found.push(JSON.stringify({ type: "function", function: tool }))
    }
    Object.values(value).forEach(collect)
  }
  collect(JSON.parse(readFileSync(join(repository, "plugins-manifest.json"), "utf8")))
  return spread(found)
}
