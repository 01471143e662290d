// What the comparison found, as a table for the terminal and as the page docs/compatibility.md.

import { markdownTable } from "../_shared/markdown-table.ts"
import { type CorpusDocument, type SetName, sets } from "./corpus.ts"
import { explain } from "./explanations.ts"
import type { Judgement, StartResult } from "./judge.ts"

export interface Judged {
  readonly document: CorpusDocument
  readonly judgement: Judgement
}

export interface Summary {
  readonly set: SetName
  readonly documents: number
  readonly valid: number
  /** Those of the valid ones that are served only with `--allow-missing-plugins`. */
  readonly needsMissingParts: number
  /** Documents with a verdict of upstream. */
  readonly compared: number
  readonly same: number
  /** The same verdict, or another one on purpose. */
  readonly sameOrDeliberate: number
  /** Documents that upstream accepts in one of its versions. */
  readonly accepted: number
  readonly results: Readonly<Record<StartResult, number>>
}

export function summarize(judged: readonly Judged[]): readonly Summary[] {
  return sets.flatMap((set) => {
    const ours = judged.filter(({ document }) => document.set === set)
    if (ours.length === 0) return []
    const compared = ours.filter(({ document }) => document.accepted !== undefined)
    const accepted = ours.filter(({ document }) => document.acceptedSomewhere === true)
    return {
      set,
      documents: ours.length,
      valid: ours.filter(({ judgement }) => judgement.valid).length,
      needsMissingParts: ours.filter(({ judgement }) => judgement.needsMissingParts).length,
      compared: compared.length,
      same: compared.filter(isSame).length,
      sameOrDeliberate: compared.filter((each) => isSame(each) || explain(each)?.isDeliberate === true).length,
      accepted: accepted.length,
      results: resultsOf(accepted),
    }
  })
}

function resultsOf(judged: readonly Judged[]): Summary["results"] {
  const count = (result: StartResult): number =>
    judged.filter(({ judgement }) => judgement.started?.result === result).length
  return {
    answered: count("answered"),
    no_model: count("no_model"),
    no_server: count("no_server"),
    failed: count("failed"),
  }
}

export function isSame({ document, judgement }: Judged): boolean {
  return judgement.valid === document.accepted
}

/** Refused, with another verdict than upstream's, or with a start that failed. */
export function remaining(judged: readonly Judged[]): readonly Judged[] {
  return judged.filter((each) => {
    const { document, judgement } = each
    if (document.set === "contract") return !isSame(each) || (document.accepted === true && hasNotStarted(each))
    return !judgement.valid || hasNotStarted(each)
  })
}

const hasNotStarted = ({ judgement: { started } }: Judged): boolean =>
  started !== undefined && ["no_server", "failed"].includes(started.result)

export function summaryTable(summaries: readonly Summary[]): string {
  return markdownTable(
    [
      "Documents",
      "Number",
      "Valid",
      "Served without missing parts only",
      "Same verdict",
      "Same, or other on purpose",
      "Answered",
      "No model for the question",
      "Server is missing",
      "Failed",
    ],
    summaries.map((each) => [
      `\`${each.set}\``,
      String(each.documents),
      percent(each.valid, each.documents),
      String(each.needsMissingParts),
      percent(each.same, each.compared),
      percent(each.sameOrDeliberate, each.compared),
      percent(each.results.answered, each.accepted),
      String(each.results.no_model),
      String(each.results.no_server),
      String(each.results.failed),
    ]),
  )
}

function percent(part: number, whole: number): string {
  return whole === 0 ? "" : `${((part / whole) * 100).toFixed(1)} % (${part}/${whole})`
}

/** What is left, most frequent reasons first. */
export function reasonCounts(judged: readonly Judged[]): readonly (readonly [reason: string, documents: number])[] {
  const counts = new Map<string, number>()
  for (const { judgement } of judged)
    for (const reason of new Set(judgement.problems.map(general))) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => b - a)
}

/** The same for every position and name. */
function general(problem: string): string {
  return problem.replaceAll(/\[\d+\]/g, "[]").replaceAll(/"[^"]*"/g, '"…"')
}

const firstReasons = 3

export function describeJudged({ document, judgement }: Judged): string {
  const { accepted } = document
  const upstream = accepted === undefined ? "no verdict" : accepted ? "accepts" : "refuses"
  const { problems, started } = judgement
  const reasons = problems.slice(0, firstReasons).map((problem) => `\n    ${problem.slice(0, 200)}`)
  const more = problems.length > firstReasons ? `\n    and ${problems.length - firstReasons} more` : ""
  const outcome =
    judgement.valid && started !== undefined && started.result !== "answered"
      ? `\n    start: ${started.outcome.slice(0, 300).replaceAll("\n", " ")}`
      : ""
  return `${document.set}/${document.file}: ${judgement.valid ? "valid" : "refused"}, upstream ${upstream}${reasons.join("")}${more}${outcome}`
}

/** The page for users. Which documents they are is public; their text is not copied. */
export function page(judged: readonly Judged[]): string {
  const left = remaining(judged)
  const rows = left.map((each) => {
    const { document, judgement } = each
    const name = `${document.set}/${document.file}`
    const { problems, started } = judgement
    const outcome = hasNotStarted(each) ? started?.outcome.split("\n")[0] : undefined
    const reason = problems[0] ?? outcome ?? "valid here"
    return [
      `\`${name}\``,
      document.accepted === undefined ? "" : document.accepted ? "accepts" : "refuses",
      escapeCell(reason.slice(0, 160)),
      escapeCell(explain(each)?.because ?? "not explained yet"),
    ]
  })
  return `# Compatibility with v0.3 documents

\`npm run compat\` writes this page. It reads documents of the vLLM Semantic Router project: \`configs\` as they were written,
\`configs-v04\` after that project's own \`config migrate\`, \`contract\` out of its tests, valid and invalid ones.

- **Valid**: \`rtr config validate\` takes the document with every variable set.
- **Served without missing parts only**: those of the valid ones for which \`rtr serve\` needs \`--allow-missing-plugins\`, because rtr
  does not have a plugin or a section that somebody relies on. Here they are started with it.
- **Same verdict**: rtr takes what upstream takes and refuses what it refuses. Upstream's verdict is that of August 2026 for
  \`configs\`, that of 0.4.0 for the others.
- The last four columns are about the documents that upstream accepts in one of its versions. The router activates the document
  and gets one question, under the name of its automatic routing; the backend and the local models are fakes. **Answered** is a
  reply with status 200. **No model for the question** is the refusal of a document that has no backend (501), or whose decisions are
  for other questions and that names no default model (400). **Server is missing** is a document that keeps its state on a Redis
  server, which is not there in this comparison. Everything else is **failed**.

${summaryTable(summarize(judged))}

## What differs

${rows.length === 0 ? "Nothing." : table(["Document", "Upstream", "First reason", "Why"], rows)}
`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n")
}

function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ").replaceAll("<", "&lt;")
}
