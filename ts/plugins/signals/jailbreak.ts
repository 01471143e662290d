// Matches attempts to override the instructions of a model.

import {
  type Classification,
  defineSignal,
  guardRule,
  guardSettings,
  literals,
  type Report,
  RtrError,
  section,
  Type,
} from "../../kernel/index.ts"
import { chunksOf } from "../_shared/chunks.ts"
import { type Contrast, createContrast, embedChunks, type Vectors } from "../_shared/contrast.ts"
import { riskIn } from "../_shared/label-probability.ts"
import {
  checkPromptGuard,
  guardBackend,
  promptGuardModel,
  promptGuardServices,
} from "../_shared/external/prompt-guard.ts"
import { modulesOf } from "../_shared/external/uses.ts"
import { viewsOf } from "../_shared/disguise/views.ts"
import { addressedSentences, leastOfSentences } from "../_shared/guards/addressed-sentences.ts"
import { createLanguageCheck, guardLanguages, inLanguages } from "../_shared/languages/measured-languages.ts"
import { askWithSentences, thresholdFor } from "../_shared/guards/long-texts.ts"
import { withoutLineNumbers } from "../_shared/guards/line-numbers.ts"
import {
  joined,
  type Measure,
  needingMore,
  nothingRead,
  type Reading,
  readAll,
  type Thresholds,
  toFact,
} from "../_shared/guards/reading.ts"
import {
  askInTurn,
  asksBuiltInGuard,
  checkSecondGuard,
  secondGuard,
  secondModel,
} from "../_shared/guards/second-guard.ts"
import { askWithoutData } from "../_shared/guards/without-data.ts"
import { onceEach } from "../_shared/once-each.ts"

const instructionsThreshold = (usual: string) =>
  Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: `Risk from which a text matches that stands in system or developer messages, definitions of tools or what the assistant said alone, no less than threshold; ${usual} when left out`,
    }),
  )

const patterns = (description: string) => Type.Optional(Type.Array(Type.String({ minLength: 1 }), { description }))

const rule = Type.Object({
  method: Type.Optional(
    literals(["", "classifier", "contrastive", "hybrid"], {
      description:
        "contrastive compares with example sentences; hybrid, and the classifier where there are some, does both, and the higher risk counts. classifier when left out",
    }),
  ),
  threshold: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        "Risk from which the rule matches: that of prompt_guard when left out; for contrastive 0.1, also for 0",
    }),
  ),
  instructions_threshold: instructionsThreshold("that of prompt_guard, or threshold for contrastive,"),
  ...guardRule,
  jailbreak_patterns: patterns("Sentences that are attacks"),
  benign_patterns: patterns("Sentences that are none; without them the similarity to the attacks alone is the risk"),
  direction: Type.Optional(
    literals(["request", "response"], {
      description:
        "response reads what the model answers, for the plugin response_jailbreak of the decision; request when left out",
    }),
  ),
})

const settings = section({
  threshold: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: "For rules without their own; 0.7 when left out" }),
  ),
  instructions_threshold: instructionsThreshold("0.95"),
  positive_labels: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      uniqueItems: true,
      description: "Labels whose probabilities make the risk; every label but benign and safe when left out",
    }),
  ),
  ...guardBackend,
  ...secondGuard,
  ...guardLanguages,
  ...guardSettings,
})

const contrastiveThreshold = 0.1

/** Harmless short messages make no sense together, and a guard that is less sure of them errs often. */
const leastOfJoined = 0.95

export default defineSignal({
  about: "Matches attempts to override the instructions of a model, or to draw them out",
  needs: ["inference.classify", "inference.embed"],
  binding: "prompt_guard",
  defaultHead: "jailbreak",
  second: secondModel,
  embeddingBinding: "embedding",
  expectedLabels: ({ method }, { binding, settings: { positive_labels: labels } }) =>
    labels === undefined || method === "contrastive" || binding === secondModel.binding ? undefined : { labels },
  asks: (rules) => [
    ...(rules.some((entry) => entry.method !== "contrastive") ? (["inference.classify"] as const) : []),
    ...(rules.some(comparesPatterns) ? (["inference.embed"] as const) : []),
  ],
  guard: true,
  readsReply: ({ direction }) => direction === "response",
  rule,
  settings: { path: ["model_catalog", "modules", "prompt_guard"], schema: settings },
  usualThreshold: (set, document, { method }) =>
    method === "contrastive" ? contrastiveThreshold : classifierThreshold(set, document),
  services: promptGuardServices,
  checkGlobal(document, report) {
    checkPromptGuard(document, report)
    const { instructions_threshold: from, ...set } = settingsIn(document)
    const path = ["model_catalog", "modules", "prompt_guard", "instructions_threshold"]
    warnOfRaised(from, classifierThreshold(set, document), (...problem) => report(path, ...problem))
    checkSecondGuard(document, report)
  },
  check(rules, report, { document } = {}) {
    checkReplyRules(rules, document?.routing, report)
    rules.forEach((entry, index) => {
      if (entry.instructions_threshold !== undefined && entry.include_history === false)
        report(
          [index, "instructions_threshold"],
          "has no effect with include_history: false, which reads only what users say",
          "warning",
        )
      else if (entry.direction !== "response") {
        const usual = { threshold: classifierThreshold(settingsIn(document), document ?? {}), from: 0 }
        const { threshold } = thresholdsOf(entry, usual)
        const path = [index, "instructions_threshold"]
        warnOfRaised(entry.instructions_threshold, threshold, (...problem) => report(path, ...problem))
      }
      if (!comparesPatterns(entry)) {
        if (entry.method === "contrastive")
          report(
            [index, "jailbreak_patterns"],
            "must hold at least one sentence for method contrastive to compare with",
          )
        if (entry.method === "hybrid")
          report([index, "method"], "is hybrid without jailbreak_patterns, which is the classifier alone", "warning")
        if ((entry.benign_patterns ?? []).length > 0)
          report([index, "benign_patterns"], "has no effect without jailbreak_patterns", "warning")
      }
      for (const key of ["jailbreak_patterns", "benign_patterns"] as const) {
        ;(entry[key] ?? []).forEach((sentence, place) => {
          if (chunksOf(sentence, 1).length > 1)
            report([index, key, place], "must be a sentence of at most about 110 words, which a model reads whole")
        })
      }
    })
  },
  async setup(rules, { settings: set, document = {}, embedAll }) {
    const { instructions_threshold: from = 0.95, positive_labels: positive } = set
    const usual = { threshold: classifierThreshold(set, document), from }
    const second = secondModel.isAsked(document) ? set.second : ({ when: "never" } as const)
    const wanted = await Promise.all(
      rules.map(async (entry) => {
        const { jailbreak_patterns: attacks = [], benign_patterns: benign = [] } = entry
        const contrast = comparesPatterns(entry)
          ? createContrast(await embedAll(attacks), await embedAll(benign))
          : undefined
        return { entry, contrast, thresholds: thresholdsOf(entry, usual) }
      }),
    )
    const isBuiltIn = asksBuiltInGuard(document)
    const reads = await createLanguageCheck({
      said: set.languages,
      isBuiltIn,
      loadDetector: () => import("eld/small"),
    })
    return {
      async read(input, { classify, embed }) {
        const first: Measure = async (text) => toReading(await classify(text), positive)
        const other: Measure = async (text) => toReading(await classify(text, { binding: secondModel.binding }))
        const inTurn = askInTurn({ first, second: other }, second)
        // Measured with the built-in guard alone.
        const ask = isBuiltIn ? askWithSentences(inTurn) : inTurn
        const risks = onceEach((text: string) => askWithoutData(text, (short) => ask(short.text)))
        const withoutNumbers = onceEach(withoutLineNumbers)
        const views = onceEach(viewsOf)
        const addressed = onceEach(addressedSentences)
        const chunks = onceEach((text: string) => embedChunks(text, embed))
        const readings = await Promise.all(
          wanted.map(async ({ entry, contrast, thresholds }) => {
            const compare: Measure | undefined = contrast && (async (text) => contrastOf(await chunks(text), contrast))
            const measures = [
              ...(entry.method === "contrastive" ? [] : [risks]),
              ...(compare === undefined ? [] : [compare]),
            ]
            const textsWhere = (areTrusted: boolean) => (): readonly string[] =>
              input
                .textsFor(entry)
                .filter((text) => input.isTrusted(text) === areTrusted && !input.isJoined(text))
                .map(withoutNumbers)
            const { threshold } = thresholds
            // Trusted texts need more certainty anyway.
            const risksOfSaid: Measure = async (text) =>
              needingMore(await risks(text), { threshold, from: thresholdFor(text, threshold) })
            const measuresOfSaid = isBuiltIn
              ? measures.map((measure) => (measure === risks ? risksOfSaid : measure))
              : measures
            const excerpts = {
              of: addressed,
              measure: risks,
              thresholds: { threshold, from: Math.max(threshold, leastOfSentences) },
            }
            const joinedTexts = (): readonly string[] => input.textsFor(entry).filter(input.isJoined)
            const [said, trusted, together] = await Promise.all([
              readAll(textsWhere(false), {
                measures: measuresOfSaid,
                viewsOf: views,
                // Measured with the built-in guard alone. System prompts and replies about instructions are made of such
                // sentences, so trusted texts have no excerpts.
                ...(isBuiltIn && measures.includes(risks) && { excerpts }),
              }),
              readAll(textsWhere(true), { measures, viewsOf: views }),
              readAll(joinedTexts, { measures, viewsOf: views }),
            ])
            return highestOf({
              said,
              instructions: needingMore(trusted, thresholds),
              fragments: needingMore(together, { threshold, from: Math.max(threshold, leastOfJoined) }),
            })
          }),
        )
        const facts = wanted.map(({ entry, thresholds }, index) => {
          const reading = readings[index]
          const fact = toFact(entry.name, thresholds.threshold, reading ?? nothingRead)
          return fact.state === "match" && reading?.kind !== undefined && reading.kind !== "said"
            ? { ...fact, kinds: [reading.kind] }
            : fact
        })
        // An error that leaves nothing to say is reported like any other signal's.
        if (facts.length > 0 && facts.every(({ state }) => state === "unknown")) throw readings[0]?.failure
        return inLanguages(facts, rules, { input, reads })
      },
    }
  },
})

/** All readings as one, with the kind of texts that has the highest risk. */
function highestOf(readings: Readonly<Record<string, Reading>>): Reading & { readonly kind: string | undefined } {
  const whole = joined(Object.values(readings))
  return { ...whole, kind: Object.keys(readings).find((kind) => readings[kind]?.risk === whole.risk) }
}

interface Routing {
  readonly decisions?: readonly {
    readonly name: string
    readonly rules?: Condition
    readonly plugins?: readonly { readonly type: string }[]
  }[]
  readonly projections?: {
    readonly scores?: readonly { readonly inputs: readonly { readonly type: string; readonly name?: string }[] }[]
  }
}

interface Condition {
  readonly type?: string
  readonly name?: string
  readonly conditions?: readonly Condition[]
}

const asks = (node: Condition | undefined, name: string): boolean =>
  node !== undefined &&
  ((node.type === "jailbreak" && node.name === name) || (node.conditions ?? []).some((child) => asks(child, name)))

/** A decision is made before there is a reply, so that only its plugin can act on one. */
function checkReplyRules(
  rules: readonly {
    readonly name: string
    readonly direction?: string
    readonly include_history?: boolean
    readonly instructions_threshold?: number
  }[],
  routing: Routing | undefined,
  report: Report,
): void {
  const { decisions = [], projections: { scores = [] } = {} } = routing ?? {}
  rules.forEach(({ name, direction, include_history: history, instructions_threshold: instructions }, index) => {
    if (direction !== "response") return
    const at = [index, "direction"]
    const early = decisions.find((decision) => asks(decision.rules, name))
    if (early !== undefined)
      report(at, `is response, and decision "${early.name}" asks for "${name}" before there is a response`)
    if (scores.some(({ inputs }) => inputs.some((input) => input.type === "jailbreak" && input.name === name)))
      report(at, `is response, and a score of projections is made of "${name}" before there is a response`)
    if (history !== undefined)
      report([index, "include_history"], "has no effect on a response, which is read whole", "warning")
    if (instructions !== undefined)
      report([index, "instructions_threshold"], "has no effect on a response, which has no instructions", "warning")
    const isRead = decisions.some(({ plugins = [] }) => plugins.some(({ type }) => type === "response_jailbreak"))
    if (routing !== undefined && !isRead)
      report(at, "is response, and no decision has the plugin response_jailbreak, which acts on it", "warning")
  })
}

interface GuardThresholds {
  readonly threshold?: number
  readonly instructions_threshold?: number
}

/** What a document says of all rules, for checks; `setup` is given it. */
const settingsIn = (document: object = {}): GuardThresholds =>
  (modulesOf(document).prompt_guard ?? {}) as GuardThresholds

/** Instructions never need less certainty than other texts. */
function warnOfRaised(
  from: number | undefined,
  threshold: number,
  warn: (message: string, severity: "warning") => void,
): void {
  if (from !== undefined && from < threshold)
    warn(`is ${from}, below the threshold of ${threshold}, which counts instead`, "warning")
}

/** For rules without their own. */
const classifierThreshold = ({ threshold = 0.7 }: { readonly threshold?: number }, document: object): number =>
  promptGuardModel(document)?.threshold ?? threshold

/** Whether a rule compares with sentences of its own, alone or beside the classifier. */
const comparesPatterns = (entry: { readonly jailbreak_patterns?: readonly string[] }): boolean =>
  (entry.jailbreak_patterns ?? []).length > 0

function thresholdsOf(
  entry: { readonly method?: string; readonly threshold?: number; readonly instructions_threshold?: number },
  usual: Thresholds,
): Thresholds {
  const { threshold: own, instructions_threshold: from } = entry
  // What contrasts are is no probability: those of prompt_guard say nothing about them.
  const isContrast = entry.method === "contrastive"
  const threshold = isContrast ? own || contrastiveThreshold : (own ?? usual.threshold)
  return { threshold, from: Math.max(threshold, from ?? (isContrast ? 0 : usual.from)) }
}

/** Labels of a text that is no attack. */
const harmless: ReadonlySet<string> = new Set(["benign", "safe"])

function toReading(classification: Classification, positive?: readonly string[]): Reading {
  const { labels, windows = [], places, truncated: failure } = classification
  const risk = riskOf(classification, positive)
  const parts = places?.flatMap((place, index) => {
    const probabilities = windows[index]
    return probabilities ? [{ ...place, risk: riskOf({ labels, probabilities }, positive) }] : []
  })
  return { risk, failure, ...(parts && { parts }) }
}

/** That of the labels that mean an attack. Throws when the labels do not tell which of them mean one. */
function riskOf(classification: Classification, positive?: readonly string[]): number {
  const { labels } = classification
  const attacks = positive ?? labels.filter((label) => !harmless.has(label.toLowerCase()))
  if (positive === undefined && attacks.length === labels.length)
    throw new RtrError(
      "invalid_model_output",
      `Cannot tell attacks from the labels ${labels.join(", ")}: none is benign or safe; name the others under global.model_catalog.modules.prompt_guard.positive_labels`,
    )
  return riskIn(classification, attacks, "sum")
}

/** The contrast of the riskiest chunk that was read, and why another was not. */
function contrastOf(vectors: Vectors, contrast: Contrast): Reading {
  const read = vectors.flatMap((result) => (result.status === "fulfilled" ? result.value : []))
  return {
    risk: read.length === 0 ? undefined : contrast(read),
    failure:
      vectors.find((result) => result.status === "rejected")?.reason ??
      read.find(({ truncated }) => truncated)?.truncated,
  }
}
