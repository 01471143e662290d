// References to the environment in changes of the document: who may bring one, and refusals that do not show what it stands for.

import { ConfigError } from "../../config/config-error.ts"
import { readInTurns } from "../../config/document.ts"
import { type Environment, readVariable, reference } from "../../config/environment.ts"
import type { DocumentInput } from "../../generations/prepare.ts"
import { ManagementError } from "../../http/management-error.ts"
import { formatPath } from "../../schema/problem.ts"
import type { DocumentChange } from "../../types/capability.ts"

/** A reference shows its value to whoever may make one: in refusals, and in answers of the document that serves. */
export function refuseReferences({ permissions, brought }: DocumentChange["client"]): void {
  if (permissions === undefined || permissions.has("secret_view")) return
  const first = textsIn(brought).flatMap(referencesIn)[0]
  if (first === undefined) return
  throw new ManagementError(
    403,
    "FORBIDDEN",
    `The request has ${first.written}, which stands for a variable of the environment; that needs the permission secret_view. $$ is a dollar sign`,
  )
}

/** The refusal as it would read if every variable that the document refers to held the reference itself. */
export async function withoutValues(
  refused: ConfigError,
  input: DocumentInput,
  environment: Environment,
  load: (input: DocumentInput) => Promise<unknown>,
): Promise<ConfigError> {
  const document = input.value ?? (await readInTurns(input.text, input.source)).value
  const names = textsIn(document)
    .flatMap(referencesIn)
    .map(({ name }) => name)
  const set = names.filter((name) => readVariable(environment, name) !== undefined)
  if (set.length === 0) return refused
  const masked = { ...environment, ...Object.fromEntries(set.map((name) => [name, `\${${name}}`])) }
  const { problems } = await load({ ...input, environment: masked }).then(
    () => ({ problems: [] }),
    (error: unknown) => {
      if (error instanceof ConfigError) return error
      throw error
    },
  )
  // A reference that stands for a number is no number, which is not what is wrong.
  const shown = new Map(problems.map((problem) => [formatPath(problem.path), problem.message]))
  return new ConfigError(
    input.source,
    refused.problems.map((problem) => ({
      ...problem,
      message:
        shown.get(formatPath(problem.path)) ?? "is wrong with the values of the environment, which are not shown",
    })),
  )
}

const referencesIn = (text: string): { readonly written: string; readonly name: string }[] =>
  [...text.matchAll(reference)].flatMap(([written, braced, , , bare]) => {
    const name = braced ?? bare
    return name === undefined ? [] : [{ written, name }]
  })

/** Keys count: some name what they hold. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => [key, ...textsIn(item)])
}
