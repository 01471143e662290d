// npm run compat -- --cases: upstream's end-to-end cases on their documents, with the real worker and the built-in packages.

import { existsSync, readdirSync, readFileSync } from "node:fs"
import { isAbsolute, join } from "node:path"
import { markdownTable } from "../../_shared/markdown-table.ts"
import { type Group, groups, type Row } from "./groups.ts"
import { explain } from "./outcome.ts"
import { type CaseRouter, openRouter } from "./router.ts"

const write = (text: string): boolean => process.stdout.write(`${text}\n`)

/** Prints each miss with its reason, and a table of the groups. */
export async function runCases(corpus: string, only: RegExp | undefined): Promise<void> {
  const chosen = groups.filter(
    ({ name, file }) => (only?.test(name) ?? true) && existsSync(join(corpus, "cases", file)),
  )
  const routers = new Map<string, CaseRouter>()
  const rows: (readonly string[])[] = []
  try {
    for (const group of chosen) {
      const path = isAbsolute(group.document) ? group.document : join(corpus, group.document)
      let router = routers.get(path)
      if (router === undefined) routers.set(path, (router = await openRouter(readFileSync(path, "utf8"), path)))
      rows.push(await runGroup(group, corpus, router))
    }
  } finally {
    for (const router of routers.values()) await router.close()
  }
  const known = new Set(groups.map(({ file }) => file))
  const others = readdirSync(join(corpus, "cases")).filter((file) => file.endsWith(".json") && !known.has(file))
  write(
    `\nNot asked here: ${others.map((file) => `${file} (${notAsked[file] ?? "nobody has looked at it"})`).join(", ")}`,
  )
  write(`\n${markdownTable(["Cases", "Right", "Of", "", "No part in the document"], rows)}`)
}

/** Why groups of cases have no place here. */
const notAsked: Readonly<Record<string, string>> = {
  "cache_cases.json": "the router keeps no replies",
  "core_selection_cases.json": "names of selectors, without prompts",
  "embedding_signal_image_cases.json": "the images are not in the corpus",
  "entropy_routing_cases.json": "an external classifier's probabilities",
  "hallucination_detection_cases.json": "contexts without answers to judge",
  "rl_driven_selection_cases.json": "no prompts with a document",
}

async function runGroup(group: Group, corpus: string, router: CaseRouter): Promise<readonly string[]> {
  const { name, file, signals, read } = group
  const given = (JSON.parse(readFileSync(join(corpus, "cases", file), "utf8")) as readonly Row[]).map(read)
  const cases = given.filter((each) => each !== undefined)
  let right = 0
  for (const { prompt, miss } of cases) {
    const outcome = await router.ask(prompt)
    const missed = miss(outcome)
    if (missed === undefined) right += 1
    else write(`${name}: "${shortened(prompt)}"\n  ${missed}, got ${explain(outcome, signals)}`)
  }
  const share = cases.length === 0 ? "" : `${Math.round((100 * right) / cases.length)} %`
  return [name, String(right), String(cases.length), share, String(given.length - cases.length)]
}

const shortened = (prompt: string): string => {
  const line = prompt.replaceAll(/\s+/g, " ")
  return line.length > 100 ? `${line.slice(0, 99)}…` : line
}
