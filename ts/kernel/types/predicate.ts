// A numeric comparison in a rule.

export interface Predicate {
  readonly gt?: number
  readonly gte?: number
  readonly lt?: number
  readonly lte?: number
}

export function predicateHolds({ gt, gte, lt, lte }: Predicate, value: number): boolean {
  return (
    (gt === undefined || value > gt) &&
    (gte === undefined || value >= gte) &&
    (lt === undefined || value < lt) &&
    (lte === undefined || value <= lte)
  )
}

/** The same for a number of which only the least is known; undefined where it depends on what the number is. */
export function predicateHoldsFrom(predicate: Predicate, least: number): boolean | undefined {
  const { lt, lte } = predicate
  if ((lt !== undefined && least >= lt) || (lte !== undefined && least > lte)) return false
  return lt === undefined && lte === undefined && predicateHolds(predicate, least) ? true : undefined
}

/** What is wrong with a comparison: no bound, two on one side, or a range that holds no number. */
export function predicateProblem({ gt, gte, lt, lte }: Predicate): string | undefined {
  if ([gt, gte, lt, lte].every((limit) => limit === undefined)) return "must have at least one of gt, gte, lt, lte"
  if (gt !== undefined && gte !== undefined) return "must not have both gt and gte"
  if (lt !== undefined && lte !== undefined) return "must not have both lt and lte"
  const lower = gt ?? gte ?? -Infinity
  const upper = lt ?? lte ?? Infinity
  const empty = lower > upper || (lower === upper && (gt !== undefined || lt !== undefined))
  return empty ? `can never hold: no number is above ${lower} and below ${upper}` : undefined
}
