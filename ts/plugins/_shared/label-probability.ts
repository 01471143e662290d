// What a classifier says of one label; an answer without the label is no answer.

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
