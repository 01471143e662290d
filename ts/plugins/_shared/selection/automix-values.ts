// What a model is worth: its quality less a part of its price.

/** Of a model that has no quality of its own. */
const usualQuality = 0.8
/** Chance that a reply passes a verification. No feedback changes it here, so that escalation has no reward either. */
export const passChance = 0.7
/** Price of a million tokens at which the whole tradeoff is taken off. */
const highPrice = 10

export interface AutomixSettings {
  readonly costAware: boolean
  readonly tradeoff: number
  readonly costWeight: number
  readonly threshold: number
}

export interface AutomixModel {
  readonly quality: number | undefined
  /** Of a million prompt tokens; undefined where it is not known. */
  readonly price: number | undefined
}

/** The value of a model, as part of a weighted choice. */
export function automixValue({ quality, price = 0 }: AutomixModel, settings: AutomixSettings): number {
  const known = quality !== undefined && quality > 0 && quality <= 1 ? quality : usualQuality
  return known - (settings.costAware ? (price / highPrice) * settings.tradeoff : 0)
}

/** What the model with the highest is chosen by: the value for its money. */
export function automixRank(model: AutomixModel, settings: AutomixSettings): number {
  const value = automixValue(model, settings)
  if (!settings.costAware) return value
  const worth = value / (1 + (model.price ?? 0) * settings.costWeight)
  return passChance >= settings.threshold ? worth * 1.1 : worth
}
