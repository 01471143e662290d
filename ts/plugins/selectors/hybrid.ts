// Weighs experience, descriptions, value for money and price together, and stays with a model where a conversation goes on.

import { type Candidate, defineSelector, reasonOf, type SignalInput, type UnknownReason } from "../../kernel/index.ts"
import { qualityOf } from "../_shared/selection/model-quality.ts"
import { automixRank, type AutomixSettings, automixValue, passChance } from "../_shared/selection/automix-values.ts"
import { cacheAffinity } from "../_shared/selection/cache-affinity.ts"
import { createConversations } from "../_shared/selection/conversations.ts"
import { createRatings, ratingOf, ratingShares } from "../_shared/selection/experience.ts"
import { blend, type Part } from "../_shared/selection/hybrid-blend.ts"
import { hybridOptions, modelSelection, reportUnused } from "../_shared/selection/model-selection.ts"
import { requestTokens } from "../_shared/selection/request-tokens.ts"
import { createDescriptionScorer } from "../_shared/selection/router-dc-scores.ts"
import { highestOf, short } from "../_shared/selection/scores.ts"

const usual = { experience_weight: 0.3, router_dc_weight: 0.3, automix_weight: 0.2, cost_weight: 0.2 }
type WeightKey = keyof typeof usual
const weightKeys = Object.keys(usual) as readonly WeightKey[]
/** What a request weighs its price by; no key says it otherwise. */
const requestCostWeight = 0.5

export default defineSelector({
  about: "Weighs experience, descriptions, value for money and price together",
  needs: ["inference.embed", "store.kv", "log"],
  options: hybridOptions,
  settings: modelSelection,
  check(options, report) {
    reportUnused("hybrid", options, report)
    const zeros = weightKeys.filter((key) => options[key] === 0)
    if (zeros.length === weightKeys.length) report([], "has no weight above 0")
    else
      for (const key of zeros)
        report(
          [key],
          "0 is as if it were left out: the weight of global.router.model_selection.hybrid counts",
          "warning",
        )
  },
  async setup(options, { decision, candidates, settings, embedAll, kv, log }) {
    const weightOf = (key: WeightKey): number => options[key] || (settings.hybrid?.[key] ?? usual[key])
    const weights = {
      experience: weightOf("experience_weight"),
      descriptions: weightOf("router_dc_weight"),
      value: weightOf("automix_weight"),
      cost: weightOf("cost_weight"),
    }
    const normalized = options.normalize_scores ?? settings.hybrid?.normalize_scores ?? true
    const models = candidates.map(({ model }) => model)
    const prices = candidates.map(({ pricing }) => pricing?.promptPer1m)
    const value = valueOf(candidates, settings.automix)
    const ratings = createRatings(kv, decision)
    const conversations = createConversations(kv)
    const scorer =
      weights.descriptions > 0 ? await createDescriptionScorer(candidates, [settings.router_dc], embedAll) : undefined

    const partsOf = async (
      text: string,
      embed: (text: string) => Promise<Float32Array>,
    ): Promise<{ readonly parts: readonly Part[]; readonly failed: UnknownReason | undefined }> => {
      const parts: Part[] = []
      let failed: UnknownReason | undefined
      if (weights.experience > 0) {
        const known = await ratings.read()
        const scores = ratingShares(models.map((model) => ratingOf(known, model)))
        const best = highestOf(scores)
        parts.push({ weight: weights.experience, scores, best, confidence: scores[best] as number })
      }
      if (scorer !== undefined)
        try {
          const { shares, best, confidence } = scorer.score(await embed(text))
          parts.push({ weight: weights.descriptions, scores: shares, best, confidence })
        } catch (error) {
          // The others still say enough.
          if (parts.length === 0 && weights.value === 0) throw error
          failed = reasonOf(error)
        }
      if (weights.value > 0) parts.push({ weight: weights.value, ...value })
      return { parts, failed }
    }

    return {
      async select(input, { embed }) {
        const { parts, failed } = await partsOf(input.text, embed)
        const scores = blend(parts, prices, { normalized, costWeight: weights.cost * requestCostWeight })
        const conversation = await conversations.of(input)
        const extra = cacheAffinity(toConversation(input, conversation?.model), windowsOf(candidates), scores)
        const final = scores.map((score, index) => score + (extra[index] as number))
        const candidate = highestOf(final)
        const agreeing = parts.filter(({ best }) => best === candidate).length
        const mean = parts.reduce((sum, { confidence }) => sum + confidence, 0) / parts.length
        return {
          candidate,
          confidence: parts.length === 0 ? 0.5 : (agreeing / parts.length + mean) / 2,
          reason: `the best of ${parts.length} weighted parts (${short(final[candidate] as number)})`,
          scores: final,
          ...(failed !== undefined && { failed }),
          ...(conversation !== undefined && { note: conversation.key }),
        }
      },
      onOutcome({ model, status, error, note }) {
        const succeeded = error === undefined && status < 500 && status !== 429
        const keep = async (): Promise<void> => {
          await ratings.note(models, model, succeeded)
          if (note !== undefined && succeeded) await conversations.keep(note, model)
        }
        keep().catch(() => log("warning", "selection_experience_lost", { decision }))
      },
    }
  },
})

function valueOf(
  candidates: readonly Candidate[],
  automix: {
    readonly cost_aware_routing?: boolean
    readonly cost_quality_tradeoff?: number
    readonly verification_threshold?: number
  } = {},
): Pick<Part, "scores" | "best" | "confidence"> {
  const settings: AutomixSettings = {
    costAware: automix.cost_aware_routing ?? true,
    tradeoff: automix.cost_quality_tradeoff ?? 0.3,
    costWeight: requestCostWeight,
    threshold: automix.verification_threshold ?? 0.7,
  }
  const models = candidates.map(({ card, pricing }) => ({
    quality: qualityOf(card)?.score,
    price: pricing?.promptPer1m,
  }))
  return {
    scores: models.map((model) => automixValue(model, settings)),
    best: highestOf(models.map((model) => automixRank(model, settings))),
    confidence: passChance,
  }
}

const windowsOf = (candidates: readonly Candidate[]) =>
  candidates.map(({ model, card }) => ({ name: model, window: card?.["context_window_size"] as number | undefined }))

const toConversation = ({ request }: SignalInput, previousModel: string | undefined) => ({
  ...requestTokens(request),
  previousModel,
  hasPreviousResponse: request.session.previousResponseId !== undefined,
})
