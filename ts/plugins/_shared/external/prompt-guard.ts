// Who guards prompts where the document names an external model for it.

import { type BoundService, literals, type Report, Type } from "../../../kernel/index.ts"
import { backend, type BackendKeys, backendUse, modelOfUse, protocols } from "./backend.ts"
import { useProblem } from "./check.ts"
import { externalClassifier } from "./classifier.ts"
import { externalGuard } from "./guard.ts"
import type { ExternalModel } from "./settings.ts"
import { modulesOf } from "./uses.ts"

/** Keys of `modules.prompt_guard`. */
export const guardBackend = {
  protocol: Type.Optional(
    literals(["", ...protocols], {
      description:
        "Asks the external model of role guardrail in the place of the built-in one; backend names the model",
    }),
  ),
  backend,
}

const guardOf = (document: object): BackendKeys & { readonly positive_labels?: readonly string[] } =>
  modulesOf(document).prompt_guard ?? {}

export function promptGuardModel(document: object): ExternalModel | undefined {
  const use = backendUse(guardOf(document))
  return use && modelOfUse(document, use, "guardrail")
}

export function promptGuardServices(document: object): readonly BoundService[] {
  const guard = guardOf(document)
  const use = backendUse(guard)
  const model = promptGuardModel(document)
  if (use === undefined || model === undefined) return []
  const { protocol, timeoutMs } = use
  const service =
    protocol === "http_chat"
      ? externalGuard(model, { label: guard.positive_labels?.[0] ?? "jailbreak", timeoutMs })
      : externalClassifier(model, { timeoutMs })
  return [{ binding: "prompt_guard", service }]
}

/** Paths start at `global`. */
export function checkPromptGuard(document: object, report: Report): void {
  const { backend: named, protocol } = guardOf(document)
  const use = backendUse(guardOf(document))
  const at = ["model_catalog", "modules", "prompt_guard"]
  if (use !== undefined) {
    const problem = useProblem(document, { name: use.name, role: "guardrail", isChat: use.protocol === "http_chat" })
    if (problem !== undefined) report([...at, named === undefined ? "protocol" : "backend"], problem)
  }
  if (named !== undefined && protocol)
    report([...at, "protocol"], "has no effect beside backend, which has its own", "warning")
}
