// A guard reads a long text in windows, and of many harmless windows one may look like an attack. Where there is an attack, one of the
// window's sentences looks like one too, so a doubtful window is read once more, sentence by sentence.

import type { Measure, Reading, RiskyPart } from "./reading.ts"

/** Only the sentences of windows with a risk between these are read. */
const [leastDoubted, mostDoubted] = [0.5, 0.95]

/** The risk of a window is at most so much above that of its riskiest sentence. How it was chosen: docs/why/windows.md. */
const mostAbove = 0.2

const shortestSentence = 20
/** Attacks are spread over short lines, too: neighbours are read together as long as they have at most so many characters. */
const charactersTogether = 300

/** Asks about a text; the risk of a long one is the highest of its windows, each limited by its sentences. */
export function askWithSentences(ask: Measure): Measure {
  return async (text) => {
    const reading = await ask(text)
    const { risk: highest = 0, parts = [], failure } = reading
    // A text of one window has no other windows that one could stand out of. A risk that is of no window stays as it is.
    if (parts.every(({ start, end }) => end - start >= text.length) || parts.every((part) => part.risk < highest))
      return reading
    const settled = await Promise.all(parts.map(async (part) => settle(part, text, ask)))
    return { risk: Math.max(...settled.map(({ risk }) => risk ?? 0)), failure: failure ?? failureIn(settled) }
  }
}

const failureIn = (readings: readonly Reading[]): unknown =>
  readings.find(({ failure }) => failure !== undefined)?.failure

async function settle({ start, end, risk }: RiskyPart, text: string, ask: Measure): Promise<Reading> {
  if (risk < leastDoubted || risk > mostDoubted) return { risk, failure: undefined }
  const asked = await Promise.all(
    sentencesOf(text.slice(start, end)).map((each) =>
      ask(each).catch((failure: unknown) => ({ risk: undefined, failure })),
    ),
  )
  // What nobody read says nothing for the window.
  if (failureIn(asked) !== undefined) return { risk, failure: undefined }
  const highest = Math.max(0, ...asked.map((each) => each.risk ?? 0))
  return { risk: Math.min(risk, highest + mostAbove), failure: undefined }
}

/** Each sentence and line, and neighbours together, in groups that overlap by half. */
function sentencesOf(window: string): readonly string[] {
  const single = window.split(/(?<=[.?!。！？])\s+|\n+/u).flatMap((each) => each.trim() || [])
  const found = new Set(single)
  for (let first = 0; first < single.length;) {
    let [together, end] = [single[first] as string, first + 1]
    while (end < single.length && together.length + (single[end] as string).length < charactersTogether)
      together += `\n${single[end++]}`
    found.add(together)
    first += Math.ceil((end - first) / 2)
  }
  return [...found].filter((each) => each.length >= shortestSentence)
}

/** A longer text has so many windows that one of them is risky by chance. */
const longText = 18_000

/** The risk from which a text is an attack: of a very long one half of the way from `threshold` to certainty. */
export const thresholdFor = (text: string, threshold: number): number =>
  text.length > longText ? (1 + threshold) / 2 : threshold
