// Matches the kind of answer that the text wants: words, an image, or both.

import {
  type Classification,
  defineSignal,
  type Fact,
  literals,
  RtrError,
  section,
  Type,
  workOn,
} from "../../kernel/index.ts"
import { askedLanguages, createLanguageCheck } from "../_shared/languages/measured-languages.ts"
import { probabilityOf } from "../_shared/label-probability.ts"
import { boundNames } from "../_shared/signals/bound-names.ts"
import { isBlank, maxReadCharacters } from "../_shared/text-size.ts"

/** Rule names, and labels of the modality head: text, image, text with an image. */
const names = ["AR", "DIFFUSION", "BOTH"] as const
type Modality = (typeof names)[number]

const settingsPath = ["model_catalog", "modules", "modality_detector"]

const settings = section({
  method: Type.Optional(
    literals(["classifier", "keyword", "hybrid"], {
      description: "hybrid asks the classifier, and the keywords where it wavers; classifier when left out",
    }),
  ),
  keywords: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), { description: "Parts of texts that want an image, in any case" }),
  ),
  both_keywords: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      description: "Parts that beside such a keyword want a text as well",
    }),
  ),
  confidence_threshold: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        "Probability that the classifier's word needs; 0, and 0.6 for hybrid, when left out. With 0 a text of which it is unsure may go to an image model",
    }),
  ),
  lower_threshold_ratio: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: "hybrid: share of the threshold from which the classifier wins over the keywords; 0.7 when left out",
    }),
  ),
  ...askedLanguages,
})

type Method = "classifier" | "keyword" | "hybrid"

const binding = "modality_detector"

/** Settings that a method does not look at, and which would do nothing beside it. */
const unused: Readonly<Record<Method, readonly string[]>> = {
  classifier: ["keywords", "both_keywords", "lower_threshold_ratio"],
  keyword: ["confidence_threshold", "lower_threshold_ratio", "languages"],
  hybrid: [],
}

/** What one reading found. `classification` is there when the classifier was asked. */
interface Verdict {
  readonly modality: Modality | undefined
  readonly confidence: number
  readonly classification?: Classification
}

export default defineSignal({
  about:
    "Matches the kind of answer that the text wants: AR (text), DIFFUSION (an image) or BOTH; the embedded model was measured in English",
  needs: ["inference.classify"],
  binding,
  defaultHead: "modality",
  debugHeader: { name: "selected-modality", tells: "match" },
  expectedLabels: (_, { settings: { method } }) => (method === "keyword" ? undefined : { labels: names }),
  asks: (_, { method }) => (method === "keyword" ? [] : ["inference.classify"]),
  rule: Type.Object({}),
  settings: { path: settingsPath, schema: settings },
  check(rules, report) {
    rules.forEach(({ name }, index) => {
      if (!(names as readonly string[]).includes(name))
        report([index, "name"], `must be AR, DIFFUSION or BOTH, got "${name}"`)
    })
  },
  checkDecision({ rules, cards }, report) {
    if (!rules.includes("BOTH") || cards.length === 0) return
    const made = new Set(
      cards.map((card) =>
        String(card?.["modality"] ?? "")
          .trim()
          .toLowerCase(),
      ),
    )
    if (made.has("omni") || (made.has("ar") && made.has("diffusion"))) return
    report(
      ["modelRefs"],
      "of a decision for modality BOTH must have a model whose card (routing.modelCards[].modality) says ar and one with diffusion, or one with omni",
    )
  },
  async setup(rules, { settings: options, document = {} }) {
    const { method = "classifier", lower_threshold_ratio: ratio = 0.7 } = options
    refuseUnused(method, options)
    const threshold = options.confidence_threshold ?? (method === "hybrid" ? 0.6 : 0)
    const byKeywords = method === "classifier" ? undefined : keywordReader(method, options)
    const reads =
      method === "keyword"
        ? undefined
        : await createLanguageCheck({
            said: options.languages,
            isBuiltIn: !boundNames(document).has(binding),
            loadDetector: () => import("eld/small"),
          })
    const decide = (text: string, classification: Classification): Verdict => {
      const highest = names
        .map((modality) => ({ modality, confidence: probabilityOf(classification, modality) }))
        .reduce((best, each) => (each.confidence > best.confidence ? each : best))
      if (highest.confidence >= threshold) return { ...highest, classification }
      if (byKeywords === undefined) return { modality: undefined, confidence: 0, classification }
      const keyword = byKeywords(text)
      if (keyword.modality === highest.modality)
        return { ...keyword, confidence: (keyword.confidence + highest.confidence) / 2, classification }
      return { ...(highest.confidence >= threshold * ratio ? highest : keyword), classification }
    }
    return {
      async read({ text }, { classify }) {
        if (isBlank(text))
          return rules.map(({ name }): Fact => ({ rule: name, state: "no_match", confidence: 0, value: 0 }))
        const isRead = reads === undefined || (await workOn(text, reads(text)))
        if (!isRead && byKeywords === undefined)
          return rules.map(({ name }): Fact => ({
            rule: name,
            state: "unknown",
            confidence: 0,
            reason: "unsupported_language",
          }))
        const verdict =
          byKeywords !== undefined && (method === "keyword" || !isRead)
            ? byKeywords(text)
            : decide(text, await classify(text))
        return rules.map(({ name }): Fact => toFact(name as Modality, verdict))
      },
    }
  },
})

function toFact(name: Modality, { modality, confidence, classification }: Verdict): Fact {
  const matched = name === modality
  const probability = classification === undefined ? undefined : probabilityOf(classification, name)
  return {
    rule: name,
    state: matched ? "match" : "no_match",
    confidence: matched ? confidence : 0,
    value: probability ?? (matched ? confidence : 0),
  }
}

function refuseUnused(method: Method, options: object): void {
  const found = unused[method].find((key) => key in options)
  if (found !== undefined)
    throw new RtrError(
      "invalid_config",
      `Cannot detect modality by method "${method}" with ${found}, which it does not use; remove it, or name another method`,
      { path: ["global", ...settingsPath, found] },
    )
}

interface Keywords {
  readonly keywords?: readonly string[]
  readonly both_keywords?: readonly string[]
}

/** How sure a keyword makes; a text that wants both is easier to mistake. */
const keywordConfidence = 0.8
const bothConfidence = 0.75

function keywordReader(
  method: string,
  { keywords = [], both_keywords: bothKeywords = [] }: Keywords,
): (text: string) => Verdict {
  // Without a keyword every text would want words only, whatever it says.
  if (keywords.length === 0)
    throw new RtrError(
      "invalid_config",
      `Cannot detect modality by method "${method}" without keywords; name some under global.${settingsPath.join(".")}.keywords`,
      { path: ["global", ...settingsPath, "keywords"] },
    )
  const lower = keywords.map((keyword) => keyword.toLowerCase())
  const lowerBoth = bothKeywords.map((keyword) => keyword.toLowerCase())
  return (text) => {
    const searched = text.slice(0, maxReadCharacters).toLowerCase()
    const holds = (keyword: string): boolean => searched.includes(keyword)
    if (!lower.some(holds)) return { modality: "AR", confidence: keywordConfidence }
    return lowerBoth.some(holds)
      ? { modality: "BOTH", confidence: bothConfidence }
      : { modality: "DIFFUSION", confidence: keywordConfidence }
  }
}
