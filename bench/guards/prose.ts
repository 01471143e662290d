// Long texts of ordinary sentences, never the same twice, so that no cache can answer.

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { repository } from "../_shared/options.ts"
import { createRandom } from "../inference/random.ts"

export interface Prose {
  /** A text of about so many words, in paragraphs. */
  ofWords(count: number): string
}

const sets = ["hallucination/summedits", "domain/unseen_exams", "domain/user_prompts"]
const sentencesOfParagraph = 6

/** Sentences of the accuracy sets in seeded order. Those with digits or signs are left out: a pattern that finds personal data would spare the model. */
export function createProse(seed: number): Prose {
  const sentences = [...new Set(sets.flatMap(sentencesOf))]
  const random = createRandom(seed)
  return {
    ofWords(count) {
      const parts: string[] = []
      for (let words = 0, number = 1; words < count; number++) {
        const sentence = sentences[Math.floor(random() * sentences.length)] ?? ""
        const kept = sentence.split(" ").slice(0, count - words)
        words += kept.length
        parts.push(kept.join(" "), number % sentencesOfParagraph === 0 ? "\n\n" : " ")
      }
      return parts.join("").trimEnd()
    },
  }
}

function sentencesOf(set: string): readonly string[] {
  const file = gunzipSync(readFileSync(join(repository, `bench/accuracy/sets/${set}.jsonl.gz`))).toString("utf8")
  return file
    .trim()
    .split("\n")
    .flatMap((line) => {
      const { text = "", context = "" } = JSON.parse(line) as { readonly text?: string; readonly context?: string }
      return `${text} ${context}`.split(/(?<=[.?!])\s+/)
    })
    .filter((sentence) => /^[A-Z][A-Za-z ,;'-]{30,300}[.?!]$/.test(sentence))
}
