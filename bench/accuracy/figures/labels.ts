// Figures of answers that are one label each.

export interface LabelCase {
  readonly truth: string
  readonly label: string
}

/** How often each label stands in the truth, in the answers, and in both at once. */
export interface LabelCount {
  readonly right: number
  readonly marked: number
  readonly said: number
}

/** Accuracy, F1 by label, and its mean over the labels that the truth has. */
export function labelFigures(cases: readonly LabelCase[]): Readonly<Record<string, number>> {
  const counts = countLabels(cases)
  const f1 = [...counts].filter(([, { marked }]) => marked > 0).map(([label, count]) => [label, f1Of(count)] as const)
  return {
    macro_f1: f1.reduce((sum, [, value]) => sum + value, 0) / f1.length,
    accuracy: cases.filter(({ truth, label }) => truth === label).length / cases.length,
    ...Object.fromEntries(f1.map(([label, value]) => [`f1_${label}`, value])),
  }
}

export function countLabels(cases: readonly LabelCase[]): ReadonlyMap<string, LabelCount> {
  const counts = new Map<string, { right: number; marked: number; said: number }>()
  const of = (label: string): { right: number; marked: number; said: number } => {
    let count = counts.get(label)
    if (count === undefined) counts.set(label, (count = { right: 0, marked: 0, said: 0 }))
    return count
  }
  for (const { truth, label } of cases) {
    of(truth).marked += 1
    of(label).said += 1
    if (truth === label) of(label).right += 1
  }
  return counts
}

/** Harmonic mean of precision and recall; 0 where nothing is marked and nothing is said. */
export function f1Of({ right, marked, said }: LabelCount): number {
  return (2 * right) / Math.max(marked + said, 1)
}
