// Short passages of a long text, cut where sentences and lines end. A sentence among hundreds of words moves the mean that a model
// reads only a little; among a few dozen it stands out.

/** About sixty English words. */
const mostCharacters = 400

const sentence = /[^\n.!?。！？]*[\n.!?。！？]*\s*/gu

/** Passages in order. Each begins with the last sentence of the one before it, if both fit, so that two that belong together share one. */
export function passagesOf(text: string): readonly string[] {
  const passages: string[] = []
  let [passage, before] = ["", ""]
  for (const [next] of text.matchAll(sentence)) {
    if (passage !== "" && passage.length + next.length > mostCharacters) {
      passages.push(passage)
      passage = before.length + next.length <= mostCharacters ? before : ""
    }
    passage += next
    before = next
  }
  return passage.trim() === "" ? passages : [...passages, passage]
}
