// A refused document, and how the list of its problems reads.

import { RtrError } from "../error.ts"
import { formatPath, type Problem } from "../schema/problem.ts"

/** A refused document with everything that is wrong with it. */
export class ConfigError extends RtrError {
  readonly problems: readonly Problem[]

  constructor(source: string, problems: readonly Problem[]) {
    const list = problems.map((problem) => `  ${formatProblem(problem, source)}`).join("\n")
    super(
      "invalid_config",
      `Cannot use ${source}: ${problems.length} ${problems.length === 1 ? "problem" : "problems"}\n${list}`,
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
