// Who tells the subject of a text where the document names an external model for it.

import type { BoundService, Report } from "../../../kernel/index.ts"
import { backend, type BackendUse, backendUse, modelOfUse } from "./backend.ts"
import { useProblem } from "./check.ts"
import { externalClassifier } from "./classifier.ts"
import { modulesOf } from "./uses.ts"

/** Keys of `modules.classifier.domain`. */
export const domainBackend = { backend }

const domainUse = (document: object): BackendUse | undefined => backendUse(modulesOf(document).classifier?.domain ?? {})

export function domainServices(document: object): readonly BoundService[] {
  const use = domainUse(document)
  const model = use && modelOfUse(document, use, "classification")
  return model === undefined
    ? []
    : [{ binding: "domain_classifier", service: externalClassifier(model, { timeoutMs: use?.timeoutMs }) }]
}

/** Paths start at `global`. */
export function checkDomain(document: object, report: Report): void {
  const use = domainUse(document)
  if (use === undefined) return
  const at = ["model_catalog", "modules", "classifier", "domain", "backend"]
  if (use.protocol !== "http_classify")
    report([...at, "protocol"], "must be http_classify: the subject needs a score for each label")
  const problem = useProblem(document, { name: use.name, role: "classification", isChat: false })
  if (problem !== undefined) report([...at, "model"], problem)
}
