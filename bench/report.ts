// Prints the tables of all kept results as Markdown. With --results FOLDER, those of another folder.

import { parseArgs } from "node:util"

import { type Result, readResult, resultsFolder } from "./_shared/results.ts"
import { accuracyReport } from "./accuracy/report.ts"
import { selectionReport } from "./accuracy/selection/report.ts"
import { guardsReport } from "./guards/report.ts"
import { inferenceReport } from "./inference/report.ts"
import { overheadReport } from "./overhead/report.ts"
import { plantedReport } from "./planted/report.ts"
import { sizeReport } from "./size/report.ts"
import { translateReport } from "./translate/report.ts"

const reports: Readonly<Record<string, (result: Result) => string>> = {
  overhead: overheadReport,
  translate: translateReport,
  inference: inferenceReport,
  guards: guardsReport,
  planted: plantedReport,
  size: sizeReport,
  accuracy: accuracyReport,
  selection: selectionReport,
}

const { values } = parseArgs({ options: { results: { type: "string", default: resultsFolder } } })
for (const [bench, report] of Object.entries(reports)) {
  const result = readResult(bench, values.results)
  const text = result === undefined ? `## ${bench}\n\nNot measured yet.` : `${report(result)}\n\n${origin(result)}`
  process.stdout.write(`${text}\n\n`)
}

function origin({ date, commit, changed, machine, versions, rounds, seconds }: Result): string {
  const software = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return [
    `${rounds === undefined ? "Measured" : `${rounds} rounds of ${seconds} s`} on ${date.slice(0, 10)}, commit ${commit}${changed ? " with changes" : ""};`,
    `${machine.processor}, ${machine.cores} cores, ${machine.memoryGib} GiB, ${machine.system},`,
    `load before ${machine.loadBefore}; ${software.join(", ")}.`,
  ].join(" ")
}
