import { ConfigError, type ManagementError } from "rtr"
import { expect, test } from "vitest"
import type { Environment } from "../../../../ts/kernel/config/environment.ts"
import type { DocumentInput } from "../../../../ts/kernel/generations/prepare.ts"
import { refuseReferences, withoutValues } from "../../../../ts/kernel/runtime/kept-document/references.ts"

const mayChange = new Set(["config.write"])

test.each([
  ["${KEY}", "${KEY}"],
  ["a ${KEY:-b} c", "${KEY:-b}"],
  ["$KEY", "$KEY"],
  ["{{ x }} ${KEY}", "${KEY}"],
  ["$$ $$${KEY}", "${KEY}"],
])("a request with %s needs the permission to see secrets", (text, written) => {
  for (const brought of [text, [{ deep: [text] }], { [text]: 1 }]) {
    expect(() => refuseReferences({ permissions: mayChange, brought })).toThrow(
      expect.objectContaining({
        status: 403,
        managementCode: "FORBIDDEN",
        message: `The request has ${written}, which stands for a variable of the environment; that needs the permission secret_view. $$ is a dollar sign`,
      }) as ManagementError,
    )
    refuseReferences({ permissions: new Set([...mayChange, "secret_view"]), brought })
    refuseReferences({ permissions: undefined, brought })
  }
})

test("what is no reference is taken from everybody", () => {
  for (const brought of ["5 $", "$$KEY", "$${KEY}", "{{ $name }}", 7, null, undefined, { a: [true] }])
    refuseReferences({ permissions: mayChange, brought })
})

const problem = (path: string, message: string) => ({ path: [path], code: "invalid", message }) as const
const environment = { KEY: "hidden", PORT: "70000", EMPTY: undefined }

/** What a document says when it is refused: the value at `name`, and that `port` is wrong. */
async function shown(input: DocumentInput, refuse: (given: Environment) => ConfigError | undefined) {
  const first = refuse(environment) as ConfigError
  const load = async ({ environment: masked = environment }: DocumentInput): Promise<void> => {
    const error = refuse(masked)
    if (error !== undefined) throw error
  }
  return (await withoutValues(first, input, environment, load)).message
}

test("a refusal has references as they stand in the document, and only what was wrong before", async () => {
  const source = "config.yaml"
  const text = 'open: "{{"\nname: "${KEY}"\nport: "${PORT}"\nlast: "}}"\nother: "${EMPTY}"\n'
  const refuse = ({ KEY, PORT, EMPTY }: Environment) =>
    new ConfigError(source, [
      problem("name", `"${KEY}" is no model`),
      ...(PORT === "70000" ? [problem("port", `${PORT} is too large`)] : [problem("address", `${PORT} is no number`)]),
      problem("other", String(EMPTY)),
    ])
  expect(await shown({ text, source }, refuse)).toBe(
    [
      "Cannot use config.yaml: 3 problems",
      '  config.yaml name: "${KEY}" is no model',
      "  config.yaml port: is wrong with the values of the environment, which are not shown",
      "  config.yaml other: undefined",
    ].join("\n"),
  )
  const onlyValue = ({ KEY }: Environment) =>
    KEY === "hidden" ? new ConfigError(source, [problem("name", KEY)]) : undefined
  expect(await shown({ text, source }, onlyValue)).not.toContain("hidden")
  // Without references there is nothing to hide.
  expect(await shown({ text: "name: hidden\n", source }, onlyValue)).toContain("name: hidden")
})
