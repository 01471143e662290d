// What a document needs of the host that serves it: variables for its keys, and an address that only the right people reach.

import type { DocumentPath } from "../error.ts"
import { invalid, type Problem } from "../schema/problem.ts"
import type { Registry } from "../modules/registry.ts"
import type { ConfigDocument } from "./document-schema.ts"
import { type Environment, readVariable, shownVariable } from "./environment.ts"
import { checkReach } from "./sections/management-reach.ts"
import { keyVariableOf, refsOf } from "./sections/backends.ts"

type NamedVariable = readonly [name: string, path: DocumentPath]

/** Names in `api_key_env`, of providers whose backends name none, and in the tokens of the management API. */
export function keyVariables(document: ConfigDocument, registry: Registry): readonly NamedVariable[] {
  const { mode, tokens = [] } = document.global?.services?.management_api?.auth ?? {}
  const named: readonly (readonly [name: string | undefined, path: DocumentPath])[] = [
    ...(document.providers?.models ?? []).flatMap((entry, model) =>
      refsOf(entry).map((ref, index) => {
        const module = registry.find("provider", ref.provider ?? "")?.module
        const name = module === undefined ? ref.api_key_env : keyVariableOf(ref, module)
        return [name, ["providers", "models", model, "backend_refs", index, "api_key_env"]] as const
      }),
    ),
    ...tokens.map(({ env }, index) => {
      const path = ["global", "services", "management_api", "auth", "tokens", index, "env"]
      return [mode === "bearer" ? env : undefined, path] as const
    }),
  ]
  return named.filter((each): each is NamedVariable => each[0] !== undefined)
}

/** What the host lacks. */
export function checkHost(document: ConfigDocument, environment: Environment, registry: Registry): readonly Problem[] {
  return [
    ...keyVariables(document, registry).flatMap(([name, path]) =>
      (readVariable(environment, name) ?? "").trim() === "" ? [invalid(path, `${shownVariable(name)} is not set`)] : [],
    ),
    ...checkReach(document, environment),
  ]
}
