// node bench/tokens/run.ts: the router's estimate of tokens beside what tokenizers count.

import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { parseArgs } from "node:util"
import { textTokens } from "../../ts/plugins/_shared/tokens/text-tokens.ts"
import { installNpm } from "../_shared/install.ts"
import { markdownTable } from "../_shared/markdown-table.ts"
import { repository } from "../_shared/options.ts"
import { readTexts } from "./texts.ts"

const { values } = parseArgs({
  options: {
    data: { type: "string", default: process.env["RTR_DATA"] ?? "../shared/data" },
    cache: { type: "string", default: process.env["RTR_BENCH_CACHE"] ?? join(homedir(), ".cache/rtr-bench") },
  },
})
const data = resolve(repository, values.data)
if (!existsSync(data)) {
  process.stdout.write(`There are no texts in ${data}; name their folder with --data FOLDER\n`)
  process.exit(0)
}

const tokenizers = await installNpm(resolve(values.cache), "tokenizers", { "gpt-tokenizer": "4.0.0" })
type Count = (text: string) => number
const countWith = async (encoding: string): Promise<Count> => {
  const path = join(tokenizers, "node_modules/gpt-tokenizer/esm/encoding", `${encoding}.js`)
  const { encode } = (await import(pathToFileURL(path).href)) as {
    readonly encode: (text: string, options: object) => readonly number[]
  }
  return (text) => encode(text, { disallowedSpecial: new Set() }).length
}
const fitted = await countWith("o200k_base")
const older = await countWith("cl100k_base")

const rows = readTexts(data).map(({ name, texts }) => {
  const counts = texts.map((text) => ({ estimate: textTokens(text), real: fitted(text), older: older(text) }))
  const sum = (of: keyof (typeof counts)[number]): number => counts.reduce((total, count) => total + count[of], 0)
  const misses = counts.map(({ estimate, real }) => Math.abs(estimate / real - 1)).toSorted((a, b) => a - b)
  return [
    name,
    String(texts.length),
    String(sum("real")),
    (sum("estimate") / sum("real")).toFixed(2),
    (misses[Math.floor(misses.length / 2)] ?? 0).toFixed(2),
    (sum("estimate") / sum("older")).toFixed(2),
  ]
})
const header = ["Texts", "How many", "Tokens", "Estimate / o200k", "Median miss of a text", "Estimate / cl100k"]
process.stdout.write(`${markdownTable(header, rows)}\n`)

const long = readTexts(data)
  .flatMap(({ texts }) => texts)
  .join("\n")
const timed = (text: string, times: number): number => {
  const startedAt = performance.now()
  for (let time = 0; time < times; time++) textTokens(text)
  return ((performance.now() - startedAt) / times) * 1000
}
for (const characters of [100, 1000, 8000, 1_000_000]) {
  timed(long.slice(0, characters), 2000)
  process.stdout.write(`${characters} characters: ${timed(long.slice(0, characters), 2000).toFixed(1)} µs\n`)
}
