// npm run compat: how many documents of other routers run here, and why the rest does not.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { repository } from "../_shared/options.ts"
import { askUpstream } from "./upstream.ts"
import { readCorpus, type Verdicts } from "./corpus.ts"
import { judge } from "./judge.ts"
import { describeJudged, type Judged, page, reasonCounts, remaining, summarize, summaryTable } from "./report.ts"

const usage = `usage: npm run compat -- [options]
  --corpus FOLDER    folder with configs, configs-v04, contract and cases (RTR_COMPAT_CORPUS, or ../shared/data/configs)
  --only PATTERN     only documents whose set/file fits the regular expression; with --cases, groups whose name does
  --cases            upstream's end-to-end cases instead, with the real worker and the built-in packages
  --no-start         only check the documents
  --json             print everything as JSON
  --all              list documents without a difference as well
  --page             write docs/compatibility.md
  --upstream FILE    a vllm-sr command that judges documents whose index has no verdict; they are kept in verdicts.json`

const { values } = (() => {
  try {
    return parseArgs({
      options: {
        corpus: { type: "string", default: process.env["RTR_COMPAT_CORPUS"] ?? "../shared/data/configs" },
        only: { type: "string" },
        cases: { type: "boolean", default: false },
        start: { type: "boolean", default: true },
        json: { type: "boolean", default: false },
        all: { type: "boolean", default: false },
        page: { type: "boolean", default: false },
        upstream: { type: "string" },
      },
      allowNegative: true,
    })
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${usage}\n`)
    process.exit(2)
  }
})()

const folder = resolve(repository, values.corpus)
if (!existsSync(folder)) {
  process.stdout.write(`There is no corpus in ${folder}; name one with --corpus FOLDER\n`)
  process.exit(0)
}

const only = values.only === undefined ? undefined : new RegExp(values.only)
if (values.cases) {
  const { runCases } = await import("./cases/run-cases.ts")
  await runCases(folder, only)
  process.exit(0)
}

const verdictsFile = join(import.meta.dirname, "verdicts.json")
let verdicts = JSON.parse(readFileSync(verdictsFile, "utf8")) as Verdicts
if (values.upstream !== undefined) {
  verdicts = await askUpstream(resolve(values.upstream), readCorpus(folder, verdicts, only), verdicts)
  writeFileSync(verdictsFile, `${JSON.stringify(verdicts, null, 2)}\n`)
}

// Some documents keep files in the working directory.
const scratch = mkdtempSync(join(tmpdir(), "rtr-compat-"))
process.chdir(scratch)
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }))
const judged: Judged[] = []
for (const document of readCorpus(folder, verdicts, only))
  judged.push({ document, judgement: await judge(document, values.start) })

const left = remaining(judged)
const write = (text: string): boolean => process.stdout.write(`${text}\n`)
if (values.json) {
  const documents = (values.all ? judged : left).map(({ document: { set, file, accepted }, judgement }) => ({
    set,
    file,
    accepted,
    ...judgement,
  }))
  write(JSON.stringify({ summaries: summarize(judged), documents }, null, 2))
} else {
  for (const each of values.all ? judged : left) write(describeJudged(each))
  write("\nReasons, by number of documents")
  for (const [reason, count] of reasonCounts(left).slice(0, 60))
    write(`${String(count).padStart(4)}  ${reason.slice(0, 180)}`)
  write(`\n${summaryTable(summarize(judged))}`)
}
if (values.page) writeFileSync(join(repository, "docs/compatibility.md"), page(judged))
// Modules may hold timers; nothing is left to do.
process.exit(0)
