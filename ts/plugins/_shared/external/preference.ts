// Who names the way of answering where the document asks an external model for it.

import type { BoundService, Report } from "../../../kernel/index.ts"
import { useProblem } from "./check.ts"
import { externalJudge } from "./judge.ts"
import { findExternal } from "./settings.ts"
import { modulesOf } from "./uses.ts"

const usualSeconds = 30
const maxTokens = 1000

interface Bound {
  readonly global?: { readonly model_catalog?: { readonly bindings?: { readonly preference?: unknown } } }
}

/** A document may bind a deployment of its own instead. */
const asksModel = (document: object): boolean =>
  modulesOf(document).classifier?.preference?.use_contrastive === false &&
  (document as Bound).global?.model_catalog?.bindings?.preference === undefined

export function preferenceServices(document: object): readonly BoundService[] {
  const model = asksModel(document) ? findExternal(document, { role: "preference" }) : undefined
  return model === undefined ? [] : [{ binding: "preference", service: externalJudge(model, usualSeconds, maxTokens) }]
}

/** Paths start at `global`. */
export function checkPreference(document: object, report: Report): void {
  const problem = asksModel(document) ? useProblem(document, { role: "preference", isChat: true }) : undefined
  if (problem !== undefined)
    report(["model_catalog", "modules", "classifier", "preference", "use_contrastive"], problem)
}
