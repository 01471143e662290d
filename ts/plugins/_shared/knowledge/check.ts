// What the schemas of knowledge bases and of kb rules cannot check.

import { type DocumentPath, isRtrError, type ReadDocumentFile, type Report, suggestion } from "../../../kernel/index.ts"
import type { ScoreInput } from "../projections/section.ts"
import { readManifest } from "./manifest.ts"
import { type KnowledgeBase, knowledgeBasesOf, ownMetrics } from "./settings.ts"

export interface KbRule {
  readonly name: string
  readonly kb: string
  readonly target: { readonly kind: "label" | "group"; readonly value: string }
  readonly match?: "best" | "threshold"
}

interface Document {
  readonly routing?: { readonly signals?: { readonly kb?: readonly KbRule[] } }
  readonly global?: { readonly model_catalog?: { readonly kbs?: readonly KnowledgeBase[] } }
}

const basesOf = (document: object): readonly KnowledgeBase[] =>
  knowledgeBasesOf((document as Document).global?.model_catalog?.kbs)

/** An input of a score that asks for a number of a knowledge base. */
export function checkMetric(
  { kb, metric, value_source: source = "" }: ScoreInput,
  at: DocumentPath,
  { document }: { readonly document: object },
  report: Report,
): void {
  const bases = basesOf(document)
  const names = bases.map(({ name }) => name)
  if (source === "binary" || source === "confidence")
    report([...at, "value_source"], `"${source}" is for rules; a kb_metric has score`)
  const base = bases.find(({ name }) => name === kb)
  if (kb === undefined || metric === undefined) report(at, `needs kb and metric: a number of a knowledge base`)
  else if (base === undefined)
    report([...at, "kb"], `"${kb}" is not in global.model_catalog.kbs${suggestion(kb, names)}`)
  else {
    const metrics = [...ownMetrics, ...(base.metrics ?? []).map(({ name }) => name)]
    if (!metrics.some((name) => name.toLowerCase() === metric.toLowerCase()))
      report(
        [...at, "metric"],
        `"${metric}" is no metric of "${kb}"; it has ${metrics.join(", ")}${suggestion(metric, metrics)}`,
      )
    const rules = (document as Document).routing?.signals?.kb ?? []
    if (!rules.some((rule) => rule.kb === kb))
      report([...at, "kb"], `counts as 0: "${kb}" is only read where a rule of routing.signals.kb names it`, "warning")
  }
}

/** The rules and the knowledge bases that they name. Paths start at the rules. */
export async function checkRules(
  rules: readonly KbRule[],
  report: Report,
  { document, readFile }: { readonly document: object; readonly readFile: ReadDocumentFile | undefined },
): Promise<void> {
  const bases = basesOf(document)
  const names = bases.map(({ name }) => name)
  for (const [index, { kb }] of rules.entries())
    if (!names.includes(kb)) report([index, "kb"], `"${kb}" is not in global.model_catalog.kbs${suggestion(kb, names)}`)
    else if (names.indexOf(kb) !== names.lastIndexOf(kb))
      report([index, "kb"], `"${kb}" is in global.model_catalog.kbs twice; knowledge bases need names of their own`)
  for (const [place, base] of bases.entries()) {
    if (names.indexOf(base.name) !== place) continue
    const own = [...rules.entries()].filter(([, { kb }]) => kb === base.name)
    checkGroups(base, own, report)
    if (own.length > 0) await checkLabels(base, own, report, readFile)
  }
}

type OwnRules = readonly (readonly [index: number, rule: KbRule])[]

function checkGroups({ name, groups = {}, metrics = [] }: KnowledgeBase, rules: OwnRules, report: Report): void {
  const [[first] = [0]] = rules
  if (rules.length > 0)
    for (const metric of metrics)
      for (const group of [metric.positive_group, metric.negative_group])
        if (!Object.hasOwn(groups, group))
          report([first, "kb"], `its metric "${metric.name}" is wrong: "${group}" is no group of "${name}"`)
  for (const [index, { target }] of rules)
    if (target.kind === "group" && !Object.hasOwn(groups, target.value))
      report(
        [index, "target", "value"],
        `"${target.value}" is no group of "${name}"${suggestion(target.value, Object.keys(groups))}`,
      )
}

async function checkLabels(
  base: KnowledgeBase,
  rules: OwnRules,
  report: Report,
  readFile: ReadDocumentFile | undefined,
): Promise<void> {
  const [[first] = [0]] = rules
  const manifest = await readManifest(base, readFile).catch((error: unknown) => {
    if (!isRtrError(error)) throw error
    report([first, "kb"], `${error.message}; rtr serve refuses the document without it`, "warning")
    return undefined
  })
  if (manifest === undefined) return
  const labels = [...manifest.keys()]
  const expectLabel = (label: string, path: DocumentPath, where: string): void => {
    if (!manifest.has(label))
      report(path, `${where}"${label}" is no label of knowledge base "${base.name}"${suggestion(label, labels)}`)
  }
  for (const [index, { target }] of rules)
    if (target.kind === "label") expectLabel(target.value, [index, "target", "value"], "")
  for (const label of Object.keys(base.label_thresholds ?? {}))
    expectLabel(label, [first, "kb"], "its label_thresholds are wrong: ")
  for (const [group, members] of Object.entries(base.groups ?? {}))
    for (const label of members) expectLabel(label, [first, "kb"], `its group "${group}" is wrong: `)
}
