// The text that the feedback head reads: what the user says, and the answer it is about.

import { maxReadCharacters } from "./text-size.ts"

/** Characters of the answer that the model was trained to read. */
const previousCharacters = 600

/**
 * Lays out as the training did; another layout gives other answers. The answer stands last, so that a text over the
 * model's limit loses the answer's end.
 */
export function feedbackText(text: string, previous: string): string {
  // A character has two code units at most, so this slice holds all that count, however long the answer is.
  const beginning = previous
    .slice(0, maxReadCharacters)
    .trim()
    .slice(0, 2 * previousCharacters)
  const read = Array.from(beginning).slice(0, previousCharacters).join("")
  return `${text.slice(0, maxReadCharacters).trim()}\n\nassistant: ${read}`
}
