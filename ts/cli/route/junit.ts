// Results of route tests in the XML that build servers read.

export interface TestResult {
  readonly name: string
  readonly seconds: number
  /** Empty where the test passed. */
  readonly failures: readonly string[]
}

export function junitXml(suite: string, results: readonly TestResult[]): string {
  const failed = results.filter(({ failures }) => failures.length > 0).length
  const total = results.reduce((sum, { seconds }) => sum + seconds, 0)
  const cases = results.map(({ name, seconds, failures }) => {
    const head = `    <testcase classname="${escape(suite)}" name="${escape(name)}" time="${seconds.toFixed(3)}"`
    if (failures.length === 0) return `${head}/>`
    return `${head}>\n      <failure message="${escape(failures[0] ?? "")}">${escape(failures.join("\n"))}</failure>\n    </testcase>`
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    `  <testsuite name="${escape(suite)}" tests="${results.length}" failures="${failed}" time="${total.toFixed(3)}">`,
    ...cases,
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n")
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
}

/** Characters that XML 1.0 cannot hold are left out. */
const escape = (text: string): string =>
  text
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, "")
    .replaceAll(/[&<>"']/g, (character) => entities[character] ?? "")
