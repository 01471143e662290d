// A refused document, and how the list of its problems reads.

import { RtrError, type RtrErrorDetails } from "../error.ts"
import { formatPath, type Problem } from "../schema/problem.ts"

/** A message goes into one line of a log. */
const maxListed = 50
const maxProblemCharacters = 1000

/** A refused document with everything that is wrong with it; its message lists the first problems. */
export class ConfigError extends RtrError {
  readonly problems: readonly Problem[]

  constructor(source: string, problems: readonly Problem[], details: Pick<RtrErrorDetails, "hint"> = {}) {
    const { length } = problems
    const list = problems
      .slice(0, maxListed)
      .map((problem) => `\n  ${formatProblem(problem, source).slice(0, maxProblemCharacters)}`)
      .join("")
    super(
      "invalid_config",
      `Cannot use ${source}: ${length} ${length === 1 ? "problem" : "problems"}${list}${length > maxListed ? `\n  and ${length - maxListed} more` : ""}`,
      details,
    )
    this.problems = problems
  }
}

/** `config.yaml:12:5 routing.decisions[0].name: must be a string`. */
export function formatProblem(problem: Problem, source: string): string {
  const place =
    problem.position === undefined ? source : `${source}:${problem.position.line}:${problem.position.column}`
  return `${place} ${formatPath(problem.path)}: ${problem.message}`
}
