// Messages show references to the environment as they are written, because what one stands for may be a secret.

import type { DocumentPath } from "../../error.ts"
import type { Expanded } from "../environment.ts"

/** A shorter value stands in the message of another place by chance. */
const shortestElsewhere = 8
/** A message may show the beginning of a value, such as the base of a URL; a shorter one is `https://` or less. */
const shortestBeginning = 12

/** Puts references back into a message about a place: for the values that stand there, and for long ones from anywhere. */
export function showReferences(replaced: Expanded["replaced"]): (path: DocumentPath, message: string) => string {
  if (replaced.length === 0) return (_, message) => message
  // The longest first: one value may be part of another.
  const all = replaced.toSorted((a, b) => b.value.length - a.value.length)
  return (path, message) =>
    all.reduce((shown, { value, written, path: at }) => {
      const isHere = at.length >= path.length && path.every((step, index) => step === at[index])
      return isHere || value.length >= shortestElsewhere ? withReference(shown, value, written) : shown
    }, message)
}

function withReference(message: string, value: string, written: string): string {
  const escaped = JSON.stringify(value).slice(1, -1)
  // One or two characters are also part of the words of the message.
  if (value.length < 3)
    return message
      .replaceAll(`"${escaped}"`, () => `"${written}"`)
      .replace(/[^ ]+$/, (last) => (last === value ? written : last))
  const found = [value, escaped].find((text) => message.includes(text))
  if (found !== undefined) return message.replaceAll(found, () => written)
  // A message cannot hold more of it than it has characters.
  for (let length = Math.min(value.length - 1, message.length); length >= shortestBeginning; length--)
    if (message.includes(value.slice(0, length))) return message.replaceAll(value.slice(0, length), () => written)
  return message
}
