// rtr route test: whether prompts go where a file says.

import { writeFileSync } from "node:fs"
import { basename } from "node:path"
import { styleText } from "node:util"
import { printJson, printLine, table } from "../print.ts"
import { replaceFile } from "../replace-file.ts"
import { junitXml, type TestResult } from "./junit.ts"
import type { Previewer } from "./previewer.ts"
import { nameOf, readRouteFile, requestOf, type RouteFile } from "./route-cases.ts"
import { decisionText, differences, expectationOf, modelText, outcomeOf, type RouteOutcome } from "./route-outcome.ts"

export interface TestRoutesOptions {
  /** Writes what the router does into the file. */
  readonly update: boolean
  readonly junit?: string
  readonly json: boolean
}

interface Tested extends TestResult {
  readonly outcome: RouteOutcome | undefined
}

/** Returns how many tests failed. */
export async function testRoutes(path: string, previewer: Previewer, options: TestRoutesOptions): Promise<number> {
  const { RtrError } = await import("rtr")
  const file = readRouteFile(path)
  if (file.document === undefined)
    throw new RtrError("invalid_request", `Cannot use ${path}: a file of route tests is YAML or JSON with tests:`)
  if (!options.update && file.cases.every(({ expect }) => expect === undefined))
    throw new RtrError("invalid_request", `Cannot use ${path}: none of its tests has expect`, {
      hint: "rtr route test --update writes what the router does now",
    })
  const results: Tested[] = []
  for (const each of file.cases) results.push(await runCase(each, previewer))
  if (options.update) return update(path, file, results)
  if (options.junit !== undefined) writeFileSync(options.junit, junitXml(basename(path), results))
  const failed = results.filter(({ failures }) => failures.length > 0)
  if (options.json)
    printJson({
      tests: results.length,
      failed: failed.length,
      results: results.map(({ name, failures, outcome }) => ({
        name,
        passed: failures.length === 0,
        failures,
        ...outcome,
      })),
    })
  else printResults(results, failed.length)
  return failed.length
}

async function runCase(each: RouteFile["cases"][number], previewer: Previewer): Promise<Tested> {
  const startedAt = performance.now()
  const name = nameOf(each)
  const seconds = (): number => (performance.now() - startedAt) / 1000
  try {
    const outcome = outcomeOf(await previewer.preview(requestOf(each)))
    return { name, seconds: seconds(), failures: differences(each.expect ?? {}, outcome), outcome }
  } catch (error) {
    // Without the router there is no result at all; what it refuses is the result of one test.
    const { code, message } = error as { readonly code?: string; readonly message: string }
    if (code === "unavailable") throw error
    return { name, seconds: seconds(), failures: [message], outcome: undefined }
  }
}

function printResults(results: readonly Tested[], failed: number): void {
  const rows = results.map(({ name, failures, outcome }) => [
    failures.length === 0
      ? styleText("green", "✓", { stream: process.stdout })
      : styleText("red", "✗", { stream: process.stdout }),
    name,
    outcome === undefined ? "" : decisionText(outcome),
    outcome === undefined ? "" : modelText(outcome),
    failures.join("; "),
  ])
  printLine(table(["", "Prompt", "Decision", "Model", "Difference"], rows))
  printLine(failed === 0 ? `${results.length} passed` : `${failed} of ${results.length} failed`)
}

async function update(path: string, { document, cases }: RouteFile, results: readonly Tested[]): Promise<number> {
  let failed = 0
  let changed = 0
  for (const [index, { outcome, failures, name }] of results.entries()) {
    if (outcome === undefined) {
      failed += 1
      printLine(`${name}: ${failures.join("; ")}`)
      continue
    }
    const written = cases[index]?.expect
    const expected = expectationOf(written, outcome)
    if (JSON.stringify(written) === JSON.stringify(expected)) continue
    changed += 1
    document?.setIn(["tests", index, "expect"], document.createNode(expected))
  }
  if (changed > 0) await replaceFile(path, path.endsWith(".json") ? jsonOf(document) : String(document))
  printLine(changed === 0 ? `${path} says already what the router does` : `Wrote ${changed} expectations into ${path}`)
  return failed
}

const jsonOf = (document: RouteFile["document"]): string => `${JSON.stringify(document?.toJS(), null, 2)}\n`
