// Prompts of a judge that compares the replies of a panel, and what the judge found.

import { objectIn } from "./object-in.ts"

export interface PanelReply {
  readonly model: string
  readonly text: string
  readonly reasoning: string
}

const lists = ["consensus", "contradictions", "partial_coverage", "unique_insights", "blind_spots"] as const

/** What the judge found, as the client may read it; the judge's own words where they are not what was asked for. */
export type Analysis = { readonly [List in (typeof lists)[number]]?: readonly string[] } & {
  readonly raw?: string
  readonly parse_failed?: boolean
}

interface Prompt {
  /** The document's own prompt. */
  readonly template?: string | undefined
  readonly original: string
  readonly replies: readonly PanelReply[]
}

export function analysisPrompt({ template, original, replies }: Prompt): string {
  if (template !== undefined && template !== "") return filled(template, { original, replies })
  return `Several models have answered the prompt below. Compare their answers. Reply with one JSON object and nothing else, with these keys:
- "consensus": what the answers agree on
- "contradictions": where they contradict each other
- "partial_coverage": parts of the prompt that only some of them answer
- "unique_insights": what only one of them says and is worth keeping
- "blind_spots": what all of them miss
Each value is a list of at most two short sentences.

Prompt:
${original}

Answers:
${written(replies)}`
}

const tasks = {
  separate: "Write the final answer to the prompt below from the answers of several models and a comparison of them.",
  one_call:
    "Compare the answers of several models to the prompt below, settle where they contradict each other, and write the final answer.",
  none: "Write the final answer to the prompt below from the answers of several models.",
} as const

export function finalPrompt({
  template,
  mode = "separate",
  original,
  replies,
  analysis,
}: Prompt & { readonly mode?: keyof typeof tasks | undefined; readonly analysis: Analysis | undefined }): string {
  if (template !== undefined && template !== "") return filled(template, { original, replies, analysis })
  const comparison =
    mode !== "separate"
      ? ""
      : `\nComparison:\n${analysis === undefined || analysis.parse_failed === true ? "There is none." : JSON.stringify(analysis, undefined, 2)}\n`
  return `${tasks[mode]} Keep every demand that the prompt makes of the form of the answer. Do not speak of the models, their reasoning or the comparison.

Prompt:
${original}
${comparison}
Answers:
${written(replies)}

Final answer:`
}

/** What is filled in is never read as a template. */
const filled = (
  template: string,
  {
    original,
    replies,
    analysis,
  }: { readonly original: string; readonly replies: readonly PanelReply[]; readonly analysis?: Analysis | undefined },
): string =>
  template.replaceAll(/\{\{(original|responses|analysis)\}\}/g, (_, what: string) =>
    what === "original"
      ? original
      : what === "responses"
        ? written(replies)
        : analysis === undefined
          ? ""
          : JSON.stringify(analysis, undefined, 2),
  )

const written = (replies: readonly PanelReply[]): string =>
  replies
    .map(({ model, text, reasoning }, index) => {
      const thought = reasoning === "" ? "" : `\n\nReasoning ${index + 1} (${model}):\n${reasoning}`
      return `Response ${index + 1} (${model}):\n${text}${thought}`
    })
    .join("\n\n")

export function readAnalysis(text: string): Analysis {
  const object = objectIn(text)
  const found = lists.flatMap((list) => {
    const value = object?.[list]
    return Array.isArray(value) ? [[list, value.filter((item) => typeof item === "string")] as const] : []
  })
  return found.length === 0 ? { raw: text, parse_failed: true } : (Object.fromEntries(found) as Analysis)
}
