// What a contract suite is made of. Suites belong to no test runner: give each case to the one you use.

import type { TSchema } from "typebox"
import { Value } from "typebox/value"
import type { Report } from "../kernel/index.ts"

/** One check of a contract. `run` throws an error that says what was expected. */
export interface ContractCase {
  readonly name: string
  readonly run: () => Promise<void>
}

/** Shorter than the limit of most test runners, whose message would not say what to look for. */
const caseMs = 4000

/** Makes a case. It fails when it does not end in time. */
export function contractCase(name: string, run: () => void | Promise<void>): ContractCase {
  return {
    name,
    async run() {
      let timer: ReturnType<typeof setTimeout> | undefined
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(tooLate(name))), caseMs)
      })
      try {
        await Promise.race([(async () => run())(), late])
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

const tooLate = (name: string): string =>
  `Expected "${name}" to end within ${caseMs / 1000} seconds; a promise that the module returned or waits for does not settle`

/** Throws what a document with this value would be refused for. */
export function expectFits(schema: TSchema, value: unknown, what: string): void {
  const [error] = Value.Errors(schema, value)
  expectThat(error === undefined, `${what} to fit the schema: ${error?.instancePath ?? ""} ${error?.message ?? ""}`)
}

/** Hears what a `check` says of samples that a document may have. A warning refuses no document. */
export const refuseReports =
  (what: string): Report =>
  (path, message, severity) =>
    expectThat(severity === "warning", `${what} to be valid, got ${path.join(".")}: ${message}`)

/** Throws unless the condition holds. */
export function expectThat(condition: boolean, expectation: string): asserts condition {
  if (!condition) throw new Error(`Expected ${expectation}`)
}

/** Freezes a value all the way down, so that whoever changes it throws. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value) && !ArrayBuffer.isView(value)) {
    Object.freeze(value)
    for (const item of Object.values(value)) deepFreeze(item)
  }
  return value
}

/** Texts that broke text handling elsewhere. None of them may make a module throw. */
export const awkwardTexts: readonly string[] = [
  "",
  " \n\t",
  "a",
  "\0",
  "\ud83d",
  "👩‍👩‍👧‍👦 e\u0301 \u200d \r\n",
  "漢字とかな交じり文、한국어",
  "$& $1 \\ (.*)+ [a-z]{1,2} <b> %s ${HOME}",
  "x".repeat(100_000),
  "word ".repeat(200_000),
]
