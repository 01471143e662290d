// How many attacks the embedded guard finds in each disguise, with and without what it undoes, and how many harmless texts it
// takes for attacks. Give the folder of the data and the address of a worker that serves `signals`.

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { normalizeText } from "../../ts/kernel/text/normalize.ts"
import { viewsOf } from "../../ts/plugins/_shared/disguise/views.ts"
import { disguises } from "./disguises.ts"

const [data = "", origin = "http://127.0.0.1:8100"] = process.argv.slice(2)
const threshold = 0.7
const most = 150
const rowsOfRequest = 16

interface Row {
  readonly text: string
  readonly label?: number
  readonly kind?: string
}

const rowsOf = (file: string): readonly Row[] =>
  gunzipSync(readFileSync(join(data, `${file}.jsonl.gz`)))
    .toString()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row)

interface Classified {
  readonly labels: readonly string[]
  readonly results: readonly {
    readonly probabilities?: readonly number[]
    readonly windows?: readonly { readonly probabilities: readonly number[] }[]
  }[]
}

const known = new Map<string, number>()

/** The risk of each text, of its riskiest window. */
async function risksOf(texts: readonly string[]): Promise<readonly number[]> {
  const asked = [...new Set(texts)].filter((text) => !known.has(text))
  for (let first = 0; first < asked.length; first += rowsOfRequest) {
    const input = asked.slice(first, first + rowsOfRequest)
    const response = await fetch(`${origin}/v1/classify`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        head: "jailbreak",
        input: input.map((text) => normalizeText(text).text),
        options: { overflow: "window" },
      }),
    })
    if (!response.ok) throw new Error(`The worker answered with status ${response.status}: ${await response.text()}`)
    const { labels, results } = (await response.json()) as Classified
    const place = labels.indexOf("jailbreak")
    input.forEach((text, index) => {
      const { probabilities = [], windows = [] } = results[index] ?? {}
      known.set(
        text,
        Math.max(...[probabilities, ...windows.map((each) => each.probabilities)].map((each) => each[place] ?? 0)),
      )
    })
  }
  return texts.map((text) => known.get(text) ?? 0)
}

/** Shares of texts that are found as they stand, and with their views. */
async function found(texts: readonly string[]): Promise<readonly [number, number, number]> {
  const views = await Promise.all(texts.map((text) => viewsOf(text)))
  await risksOf([...texts, ...views.flat()])
  const isFound = (text: string): boolean => (known.get(text) ?? 0) >= threshold
  return [
    texts.filter(isFound).length,
    texts.filter((text, index) => isFound(text) || views[index]?.some(isFound) === true).length,
    views.filter(({ length }) => length > 0).length,
  ]
}

const isShort = ({ text }: Row): boolean => text.length >= 30 && text.length <= 400 && /^[\x20-\x7e\n]+$/.test(text)
const spread = <Item>(items: readonly Item[]): readonly Item[] => {
  const step = Math.max(1, items.length / most)
  return Array.from({ length: Math.min(most, items.length) }, (_, index) => items[Math.floor(index * step)] as Item)
}
const attacks = ["jailbreak/deepset", "jailbreak/giskard", "jailbreak/collections", "jailbreak/piguard_valid"].flatMap(
  (file) =>
    rowsOf(file)
      .filter((row) => row.label === 1 && isShort(row))
      .map(({ text }) => text),
)
const risks = await risksOf(attacks)
const plainlyFound = spread(attacks.filter((_, index) => (risks[index] ?? 0) >= threshold))
const harmless = spread(
  ["ordinary/koala", "ordinary/oasst_eval", "ordinary/mt_bench_vicuna"].flatMap((file) =>
    rowsOf(file)
      .filter(isShort)
      .map(({ text }) => text),
  ),
)

console.log(
  `${plainlyFound.length} attacks of ${attacks.length} that are found without a disguise; ${harmless.length} harmless texts`,
)
console.log(
  "| Disguise | attacks found without views | with | harmless texts found without views | with |\n|---|---:|---:|---:|---:|",
)
for (const [name, disguise] of Object.entries(disguises)) {
  const [without, having] = await found(plainlyFound.map(disguise))
  const [falsely, having2] = await found(harmless.map(disguise))
  const share = (count: number, of: readonly string[]): string => `${Math.round((100 * count) / of.length)} %`
  console.log(
    `| ${name} | ${share(without, plainlyFound)} | ${share(having, plainlyFound)} | ${share(falsely, harmless)} | ${share(having2, harmless)} |`,
  )
}
console.log(
  "\n| Texts without a disguise | texts | with views | found without views | with |\n|---|---:|---:|---:|---:|",
)
for (const file of [
  "ordinary/autoj",
  "ordinary/koala",
  "ordinary/oasst_eval",
  "ordinary/mt_bench_vicuna",
  "ordinary/support_bots",
  "ordinary/prompts_chat",
  "ordinary/biggen",
  "jailbreak/hardneg_code",
  "jailbreak/hardneg_docs",
  "jailbreak/hardneg_prompts",
]) {
  const texts = rowsOf(file)
    .filter(({ label }) => label !== 1)
    .map(({ text }) => text)
  // Views change nothing about the others.
  const viewed: string[] = []
  for (const text of texts) if ((await viewsOf(text)).length > 0) viewed.push(text)
  const [without, having] = await found(viewed)
  console.log(`| ${file} | ${texts.length} | ${viewed.length} | ${without} | ${having} |`)
}
