// What a classifier says of its labels; an answer without a label that is asked for is no answer.

import { type Classification, RtrError } from "../../kernel/index.ts"

/**
 * Probability of a label. Throws `invalid_model_output` when the model has no such label: it was made for another task,
 * and a probability of 0 would report what nobody has read as not found.
 */
export function probabilityOf({ labels, probabilities }: Classification, label: string): number {
  const index = labels.indexOf(label)
  const probability = probabilities[index]
  if (probability === undefined)
    throw new RtrError(
      "invalid_model_output",
      `Cannot read the classifier's answer: it has no label "${label}", only ${labels.join(", ")}`,
    )
  // Comparisons with NaN are false, which would report what was never computed as not found.
  if (!Number.isFinite(probability))
    throw new RtrError("invalid_model_output", `Cannot read the classifier's answer: "${label}" has no probability`)
  return probability
}

const joined = {
  /** Labels of which one holds: their probabilities add up. */
  sum: (probabilities: readonly number[]) => probabilities.reduce((sum, each) => sum + each, 0),
  /** Labels that hold independently: the likeliest counts. */
  max: (probabilities: readonly number[]) => Math.max(...probabilities),
} as const

/**
 * That of the riskiest window: the model's own answer may be the mean of its windows, which hides something bad in a long text.
 * Throws `invalid_model_output` for a label that the model does not have.
 */
export function riskIn(
  { labels, probabilities, windows = [] }: Classification,
  bad: readonly string[],
  join: keyof typeof joined,
): number {
  const risks = [probabilities, ...windows].map((each) =>
    joined[join](bad.map((label) => probabilityOf({ labels, probabilities: each }, label))),
  )
  return Math.max(...risks)
}
