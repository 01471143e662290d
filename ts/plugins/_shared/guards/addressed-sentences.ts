// Sentences of a long text that tell a model what to do about its own work. Among a page of other words a guard hardly sees one,
// so they are read once more, without the rest.

import { type MaybePromise, type Work, workOn } from "../../../kernel/index.ts"
import { piecesOf } from "../disguise/pieces.ts"

/** A shorter text is read as it stands: little surrounds a sentence of it. */
const longText = 400
const shortestSentence = 30
/** What is longer is a table or code without ends of sentences. */
const longestSentence = 600
/** Of most of a text there is nothing to gain: its other words hide nothing. */
const mostOfText = 0.8

/** Risk from which such sentences are an attack by themselves: without their text harmless ones look more like one. */
export const leastOfSentences = 0.85

const command =
  /(?<![\p{L}\p{N}])(?:ignor(?:e|ed|ing)|disregard(?:ing)?|forget|pretend|reveal|print|repeat|show|output|overrid(?:e|den|ing)|bypass|obey|stop|send|answers?|respond|act|stay|role-?play|follow|refuses?|tell|write|say|drop|void|must|do not|don['’]t|never|you are|now on)(?![\p{L}\p{N}])/iu
const work =
  /(?<![\p{L}\p{N}])(?:instructions?|prompts?|rules?|guidelines?|polic(?:y|ies)|restrictions?|filters?|ai|assistants?|language models?|llms?|chatbots?|system|roles?|characters?|conversation|orders|told|developers?|secrets?|hidden|confidential|unrestricted|jailbr[eo]\p{L}*|persona|limits)(?![\p{L}\p{N}])/iu

const betweenSentences = /(?<=[.?!\n])\s+/

/** These sentences of a text, a line each; undefined for a short text, and where there are none or little else. A promise for a long text. */
export const addressedSentences = (text: string): MaybePromise<string | undefined> =>
  text.length < longText ? undefined : workOn(text, finding(text))

function* finding(text: string): Work<string | undefined> {
  const found: string[] = []
  let rest = ""
  for (const piece of piecesOf(text)) {
    const sentences = (rest + piece).split(betweenSentences)
    rest = sentences.pop() ?? ""
    if (rest.length > longestSentence) rest = ""
    found.push(...sentences.filter(isAddressed))
    yield
  }
  if (isAddressed(rest)) found.push(rest)
  const length = found.reduce((sum, sentence) => sum + sentence.length, 0)
  return length === 0 || length > text.length * mostOfText ? undefined : found.join("\n")
}

const isAddressed = (sentence: string): boolean =>
  sentence.length >= shortestSentence &&
  sentence.length <= longestSentence &&
  command.test(sentence) &&
  work.test(sentence)
