// What a contract suite is made of. Suites belong to no test runner: give each case to the one you use.

/** One check of a contract. `run` throws an error that says what was expected. */
export interface ContractCase {
  readonly name: string
  readonly run: () => Promise<void>
}

/** Makes a case. */
export function contractCase(name: string, run: () => void | Promise<void>): ContractCase {
  return { name, run: async () => run() }
}

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
