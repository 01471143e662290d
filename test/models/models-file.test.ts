import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { emptyFolder } from "../fakes/hub.ts"
import { type ModelsFileEntry, readModelsFile } from "../../ts/models/models-file.ts"

const commit = "0".repeat(40)

function read(text: string): readonly ModelsFileEntry[] {
  const file = join(emptyFolder(), "models.yaml")
  writeFileSync(file, text)
  return readModelsFile(file)
}

test("entries keep their keys, as a list or under models", () => {
  const entries = `- { model: signals, name: a, device: cpu, memory_budget_gib: 1.5, options: { max_scan_tokens: 99 } }\n- { model: org/x, revision: "${commit}" }`
  const expected = [
    { model: "signals", name: "a", device: "cpu", memoryBudgetGib: 1.5, maxScanTokens: 99 },
    { model: "org/x", revision: commit },
  ]
  expect(read(entries)).toEqual(expected)
  expect(read(`models:\n${entries}`)).toEqual(expected)
})

test.each([
  ["[]", /it names no model; list at least one/],
  ["models: []", /it names no model; list at least one/],
  ["# nothing yet", /it names no model; list at least one/],
  ["signals", /it must be a list of models/],
  ["models: { a: b }", /it must be a list of models/],
  ["- signals", /models\[0\] must be a map/],
  ["- { name: a }", /models\[0\]\.model is missing/],
  ["- { model: a, colour: red }", /models\[0\]\.colour is not a known key/],
  ["- { model: a, device: 7 }", /models\[0\]\.device must be a string/],
  ["- { model: a, memory_budget_gib: 0 }", /models\[0\]\.memory_budget_gib must be a number above 0/],
  ["- { model: org/a, revision: main }", /models\[0\]\.revision must be a commit of 40 hexadecimal digits, got "main"/],
  ["- { model: org/a@v1.0 }", /models\[0\]\.revision must be a commit of 40 hexadecimal digits, got "v1\.0"/],
  ["- { model: a, options: { colour: 7 } }", /models\[0\]\.options\.colour is not supported yet/],
  ["- { model: a, options: { max_scan_tokens: 0.5 } }", /max_scan_tokens must be a whole number above 0/],
  ["- { model: a, options: [x] }", /models\[0\]\.options must be a map/],
])("%s is refused", (text, message) => {
  expect(() => read(text)).toThrow(message)
})

test.each([
  ["- { model: a, name: sk-secret", "line 1, column 30 is not valid YAML (bad indent)"],
  ["- model: a\n  name: 'sk-secret", "line 2, column 19 is not valid YAML (missing char)"],
  ["- model: a\n  name: !sk-secret b", "line 2, column 9 is not valid YAML (tag resolve failed)"],
  ["- model: a\n  name: |sk-secret", "line 2, column 10 is not valid YAML (unexpected token)"],
  ["- model: a\n  name: x\n  name: sk-secret", "line 3, column 3 is not valid YAML (duplicate key)"],
  ["- model: *sk-secret", "an alias has no anchor before it, or there are too many; quote a text that begins with *"],
])("%j is refused without its text", (text, problem) => {
  const message = messageOf(() => read(text))
  expect(message).toMatch(/^Cannot use models file .*models\.yaml: /)
  expect(message.split("models.yaml: ")[1]).toBe(problem)
})

test("a file that is not there is named", () => {
  expect(() => readModelsFile("/nowhere/models.yaml")).toThrow(
    "Cannot use models file /nowhere/models.yaml: there is no such file",
  )
})

function messageOf(work: () => unknown): string {
  try {
    work()
    return "nothing was thrown"
  } catch (error) {
    return (error as Error).message
  }
}
