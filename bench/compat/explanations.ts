// Data: why a document is refused here that upstream accepts, or the other way round. A document's own entry comes first.

export interface Explanation {
  /** Fits `set/file`. */
  readonly document?: RegExp
  /** Fits a reason: the path and the message of a problem. */
  readonly reason?: RegExp
  readonly because: string
}

export const explanations: readonly Explanation[] = []

/** Why a document differs; undefined where nobody has said. */
export function explain(name: string, problems: readonly string[]): string | undefined {
  const fits = ({ document, reason }: Explanation): boolean =>
    (document === undefined || document.test(name)) &&
    (reason === undefined || problems.some((problem) => reason.test(problem)))
  return (
    explanations.find((each) => each.document !== undefined && fits(each)) ??
    explanations.find((each) => each.document === undefined && fits(each))
  )?.because
}
