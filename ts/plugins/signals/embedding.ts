// Matches by similarity of meaning between the text and example sentences.

import {
  type ChatRequest,
  defineSignal,
  type Fact,
  type ImageInput,
  literals,
  reasonOf,
  RtrError,
  section,
  Type,
  type UnknownReason,
} from "../../kernel/index.ts"
import { imagesOf, testImage } from "../_shared/embeddings/request-images.ts"
import { type Bank, createBank, prototypeScoring } from "../_shared/prototype-bank.ts"
import { checkEmbeddings, endpoint, remoteEmbeddings, remoteKeys } from "../_shared/external/remote-embeddings.ts"
import { narrowing } from "../_shared/projections/relations.ts"
import { isBlank } from "../_shared/text-size.ts"
import { boundNames } from "../_shared/signals/bound-names.ts"

const rule = Type.Object({
  threshold: Type.Number({ minimum: -1, maximum: 1, description: "Similarity from which the rule matches" }),
  candidates: Type.Array(Type.String({ minLength: 1 }), { minItems: 1, description: "Example sentences" }),
  negative_candidates: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      description: "Sentences that are meant otherwise: a text that is as much like them does not match",
    }),
  ),
  aggregation_method: Type.Optional(literals(["max", "any", "mean"])),
  query_modality: Type.Optional(
    literals(["text", "image"], {
      description:
        "image compares the images of the last user message with the sentences; its model has to read both. text when left out",
    }),
  ),
  prototype_scoring: Type.Optional(prototypeScoring),
})

const embeddingConfig = section({
  enable_soft_matching: Type.Optional(
    Type.Boolean({ description: "When no rule reaches its threshold, let those above min_score_threshold match" }),
  ),
  min_score_threshold: Type.Optional(Type.Number({ minimum: -1, maximum: 1 })),
  top_k: Type.Optional(Type.Integer({ minimum: 0, description: "How many of the matching rules stay; 0 keeps all" })),
  prototype_scoring: Type.Optional(prototypeScoring),
  ...remoteKeys,
})

const settings = section({ embedding_config: Type.Optional(embeddingConfig), endpoint: Type.Optional(endpoint) })

/** What a rule about images needs. */
const imageModel =
  "global.model_catalog.bindings.embedding names a deployment of the family image_embeddings, such as CLIP or SigLIP"

export default defineSignal({
  about: "Matches when the text means something similar to example sentences",
  configKey: "embeddings",
  needs: ["inference.embed"],
  rule,
  check(rules, report, { document } = {}) {
    const isBound = document === undefined || boundNames(document).has("embedding")
    rules.forEach((entry, index) => {
      if (isAboutImages(entry) && !isBound)
        report(
          [index, "query_modality"],
          `is image, and the built-in model reads none: rtr serve refuses a decision that asks it until ${imageModel}`,
          "warning",
        )
    })
  },
  partitionProblem: () => undefined,
  settings: { path: ["model_catalog", "embeddings", "semantic"], schema: settings },
  services: remoteEmbeddings,
  checkGlobal: checkEmbeddings,
  async setup(
    rules,
    {
      settings: {
        embedding_config: {
          enable_soft_matching: soft = true,
          min_score_threshold: softThreshold = 0.5,
          top_k: topK = 1,
          prototype_scoring: scoring,
        } = {},
      },
      embedAll,
      ...around
    },
  ) {
    const narrow = narrowing(
      around,
      rules.map(({ name }) => name),
    )
    const banks = await Promise.all(
      rules.map(async (entry) => {
        const mean = entry.aggregation_method === "mean" ? { best_weight: 0, top_m: 0 } : {}
        const options = { ...scoring, ...entry.prototype_scoring, ...mean }
        const bankOf = async (texts: readonly string[]): Promise<Bank> =>
          createBank(texts, await embedAll(texts), options)
        const { candidates, negative_candidates: others = [] } = entry
        return {
          own: await bankOf(candidates),
          others: others.length === 0 ? undefined : await bankOf(others),
          // Of several that match there is no winner to be unsure of.
          margin: topK === 1 ? (options.margin_threshold ?? 0) : 0,
        }
      }),
    )
    const readsImages = rules.some(isAboutImages)
    const readsTexts = rules.some((entry) => !isAboutImages(entry))
    if (readsImages) await proveThatImagesAreRead(rules, embedAll)
    return {
      async read({ text, request }, { embed }) {
        const [vector, images] = await Promise.all([
          readsTexts && !isBlank(text) ? embed(text) : undefined,
          readsImages ? readImages(request, embed) : noImages,
        ])
        const scored = banks.map(({ own, others, margin }, index) => {
          const entry = rules[index] as (typeof rules)[number]
          const queries = isAboutImages(entry) ? images.vectors : vector === undefined ? [] : [vector]
          // Of several images the one that is most like the rule counts.
          const scores = queries.map((query) => ({ score: own(query), other: others?.(query) ?? -Infinity }))
          const best = scores.reduce<(typeof scores)[number] | undefined>(
            (found, each) => (found === undefined || each.score > found.score ? each : found),
            undefined,
          )
          const { name, threshold } = entry
          const { score = 0, other = 0 } = best ?? {}
          return { name, threshold, score, margin, isMeant: best !== undefined && score > other, entry }
        })
        const isClear = ({ score, margin, name }: (typeof scored)[number]): boolean =>
          margin === 0 || scored.every((other) => other.name === name || score - other.score >= margin)
        const possible = scored.filter((each) => each.isMeant && isClear(each))
        const hard = possible.filter(({ score, threshold }) => score >= threshold)
        const matching = hard.length > 0 || !soft ? hard : possible.filter(({ score }) => score >= softThreshold)
        const found = new Set(matching.map(({ name }) => name))
        const facts = scored.map(({ name, score, entry }): Fact => {
          const isMatch = found.has(name)
          // An image that was not read may have been one that matches.
          if (!isMatch && isAboutImages(entry) && images.unread !== undefined)
            return { rule: name, state: "unknown", confidence: 0, reason: images.unread }
          return {
            rule: name,
            state: isMatch ? "match" : "no_match",
            confidence: Math.min(1, Math.max(0, score)),
            value: score,
          }
        })
        return keepBest(narrow(facts), found, topK)
      },
    }
  },
})

const isAboutImages = ({ query_modality: modality }: { readonly query_modality?: string }): boolean =>
  modality === "image"

const noImages: ReadImages = { vectors: [], unread: undefined }

/** Only the `topK` most similar of those that were `found` match. What a partition put in their place is not counted. */
function keepBest(facts: readonly Fact[], found: ReadonlySet<string>, topK: number): readonly Fact[] {
  if (topK === 0) return facts
  const matching = facts.filter(({ rule: name, state }) => state === "match" && found.has(name))
  if (matching.length <= topK) return facts
  const ranked = matching.toSorted((a, b) => (b.value ?? 0) - (a.value ?? 0) || (a.rule < b.rule ? -1 : 1))
  const dropped = new Set(ranked.slice(topK))
  return facts.map((fact) => (dropped.has(fact) ? { ...fact, state: "no_match" } : fact))
}

interface ReadImages {
  readonly vectors: readonly Float32Array[]
  /** Why an image was not read, if one was not. */
  readonly unread: UnknownReason | undefined
}

type Embed = (input: ImageInput) => Promise<Float32Array>

/** What fails is unknown for rules about images alone. */
async function readImages(request: ChatRequest, embed: Embed): Promise<ReadImages> {
  const { urls, isPartial } = imagesOf(request)
  const read = await Promise.allSettled(urls.map((image) => embed({ image })))
  const failed = read.find((each) => each.status === "rejected")
  return {
    vectors: read.flatMap((each) => (each.status === "fulfilled" ? [each.value] : [])),
    unread: failed !== undefined ? reasonOf(failed.reason) : isPartial ? "unreadable_content" : undefined,
  }
}

/** A model of texts would leave every such rule unknown, and nobody would hear why. */
async function proveThatImagesAreRead(
  rules: readonly { readonly name: string; readonly query_modality?: string }[],
  embedAll: (inputs: readonly ImageInput[]) => Promise<unknown>,
): Promise<void> {
  try {
    await embedAll([{ image: testImage }])
  } catch (cause) {
    const reason = reasonOf(cause)
    if (reason !== "rejected" && reason !== "failed") throw cause
    const names = rules.filter(isAboutImages).map(({ name }) => `"${name}"`)
    throw new RtrError(
      "invalid_config",
      `Cannot compare images (query_modality of ${names.join(", ")}): the model that makes vectors reads none; it takes one where ${imageModel}`,
      { cause, path: ["routing", "signals", "embeddings"] },
    )
  }
}
