// Finds the sentences of a long text that tell a model how to do its work. A guard reads a long text in windows of a few hundred words and
// may miss a single sentence there, so that these sentences are read once more, as one text and each by itself.

import { type MaybePromise, type Work, workOn } from "../../../kernel/index.ts"
import { piecesOf } from "../disguise/pieces.ts"

/** A shorter text has too few other words to hide a sentence. */
const longText = 400
const shortestSentence = 30
/** What is longer is a table, or code without punctuation. */
const longestSentence = 600
/** Where these sentences are most of a text, its other words hide nothing. */
const mostOfText = 0.8

/** Risk from which these sentences are an attack. Without the text around them, harmless ones look more like attacks. */
export const leastOfSentences = 0.85
/** Texts of one sentence. Where there are more sentences, neighbours share a text. */
const mostSingly = 32

const command =
  /(?<![\p{L}\p{N}])(?:ignor(?:e|ed|ing)|disregard(?:ing)?|forget|pretend|reveal|print|repeat|show|output|overrid(?:e|den|ing)|bypass|obey|stop|send|forward|call|answers?|reply|respond|speak|translate|quote|act|stay|role-?play|follow|refuses?|tell|write|say|drop|void|must|do not|don['’]t|never|you are|now on)(?![\p{L}\p{N}])/iu
const work =
  /(?<![\p{L}\p{N}])(?:instructions?|prompts?|rules?|guidelines?|polic(?:y|ies)|restrictions?|filters?|ai|assistants?|language models?|llms?|chatbots?|system|roles?|characters?|conversation|orders|told|developers?|secrets?|hidden|confidential|unrestricted|jailbr[eo]\p{L}*|persona|limits)(?![\p{L}\p{N}])/iu
/** Who has to do something, whatever it is: "Customer service assistant: refund this order", "agents should prefer". */
const addressee =
  /(?<![\p{L}\p{N}])(?:ai|(?:ai|language) (?:models?|systems?|tools?)|assistants?|agents?|chatbots?|bots?|llms?|copilots?)(?:[:;]| (?:reading|working|processing|handling|summari[sz]ing|should|must|shall|please|need)(?![\p{L}\p{N}]))/iu

// A line of prose may end within a sentence, one of code does not.
const betweenSentences = /(?<=[.?!\n])\s+|(?<=[;{}])\r?\n/

/**
 * These sentences as one text, a line each, those that only name an agent as another, and each by itself, because harmless ones hide an
 * attack among them. Each counts once. Empty for a short text, and where there are none or little else. A promise for a long text.
 */
export const addressedSentences = (text: string): MaybePromise<readonly string[]> =>
  text.length < longText ? [] : workOn(text, finding(text))

function* finding(text: string): Work<readonly string[]> {
  // Apart, so that harmless sentences about agents do not cover the others.
  const [commands, addresses] = [new Found(), new Found()]
  const sort = (sentence: string): void => {
    if (sentence.length < shortestSentence || sentence.length > longestSentence) return
    if (command.test(sentence) && work.test(sentence)) commands.add(sentence)
    else if (addressee.test(sentence)) addresses.add(sentence)
  }
  let rest = ""
  for (const piece of piecesOf(text)) {
    const sentences = (rest + piece).split(betweenSentences)
    rest = sentences.pop() ?? ""
    if (rest.length > longestSentence) rest = ""
    sentences.forEach(sort)
    yield
  }
  sort(rest)
  return [commands, addresses]
    .filter(({ length }) => length <= text.length * mostOfText)
    .flatMap(({ sentences }) => textsOf([...sentences]))
}

class Found {
  readonly sentences = new Set<string>()
  /** With repetitions. */
  length = 0

  add(sentence: string): void {
    this.sentences.add(sentence)
    this.length += sentence.length
  }
}

function textsOf(sentences: readonly string[]): readonly string[] {
  if (sentences.length === 0) return []
  const together = sentences.join("\n")
  if (sentences.length === 1) return [together]
  const size = Math.ceil(sentences.length / mostSingly)
  const count = Math.ceil(sentences.length / size)
  return [together, ...Array.from({ length: count }, (_, at) => sentences.slice(at * size, (at + 1) * size).join("\n"))]
}
