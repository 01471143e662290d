// Finds the sentences of a text that tell a model how to do its work. A guard reads a long text in windows of a few hundred words and
// may miss a single sentence there, so that these sentences are read once more, as one text and each by itself.

import { type MaybePromise, type Work, workOn } from "../../../kernel/index.ts"
import { piecesOf } from "../disguise/pieces.ts"
import { withoutMarks } from "./without-marks.ts"

/** A shorter text has too few other words to hide a sentence, unless it stands there as code or data. */
const longText = 400
const shortestSentence = 30
/** What is longer is a table, or code without punctuation. */
const longestSentence = 600
/** Where these sentences are most of a text, it is one of rules or of a prompt, and is read as it stands. */
const mostOfText = 0.8

/** Risk from which these sentences are an attack. Without the text around them, harmless ones look more like attacks. */
export const leastOfSentences = 0.85
/** The model is asked about single sentences at most so often, for each kind in a text. Where there are more, neighbours share a question. */
const maxQuestions = 256
/** And at most once for so many characters, so that a request of many texts asks no more than in proportion to its length. */
const charactersOfQuestion = 250

/** In English, German, French and Spanish, one line each. */
const command = anyOf(
  "ignor(?:e|ed|ing)|disregard(?:ing)?|forget|pretend|reveal|print|repeat|show|output|overrid(?:e|den|ing)|bypass|obey|stop|send|forward|call|answers?|reply|respond|speak|translate|quote|act|stay|role-?play|follow|refuses?|tell|write|say|drop|void|must|do not|don['’]t|never|you are|now on",
  "ignoriere?n?|missachten?|vergiss|vergessen|verraten?|verrätst|zeigen?|gib|geben|wiederholen?|umgehen?|sende|senden|schicken?|leite|antworten?|übersetzen?|schreiben?|sagen?|tu so|spiele?|folgen?|musst|darfst|nie(?:mals)?|du bist|ab jetzt|von nun an",
  "ignore[sz]|oublie[sz]?|révèle[sz]?|révélez|affiche[sz]?|répète[sz]?|répétez|contourne[sz]?|obéis|envoie[sz]?|envoyez|réponds|répondez|traduis(?:ez)?|écris|écrivez|dites|joue[sz]?|agis(?:sez)?|suivez|dois|devez|jamais|tu es|vous êtes|désormais",
  "ignor[ae]|olvid[ae]|revel[ae]|muestr[ae]|imprim[ae]|repit[ae]|omit[ae]|obedece|envía|responde|traduce|escribe|di|finge|actúa|sigue|debes?|nunca|eres|a partir de ahora",
)
const work = anyOf(
  "instructions?|prompts?|rules?|guidelines?|polic(?:y|ies)|restrictions?|filters?|ai|assistants?|language models?|llms?|chatbots?|system|roles?|characters?|conversation|orders|told|developers?|secrets?|hidden|confidential|unrestricted|jailbr[eo]\\p{L}*|persona|limits",
  "anweisung(?:en)?|vorgaben?|regeln?|richtlinien?|beschränkung(?:en)?|einschränkung(?:en)?|systemprompts?|systemanweisung(?:en)?|ki|assistent(?:en|in)?|sprachmodelle?|rollen?|gespräch|befehlen?|entwicklern?|geheim\\p{L}*|verborgen\\p{L}*|vertraulich\\p{L}*",
  "consignes?|règles?|directives?|filtres?|ia|assistante?|modèles? de langage|système|rôles?|ordres?|développeurs?|cachée?s?|confidentiel\\p{L}*",
  "instrucciones|reglas?|directrices|restricciones|filtros?|asistente|modelos? de lenguaje|sistema|papel|conversación|órdenes|desarrollador(?:es)?|secret[oa]s?|ocult[oa]s?|confidencial(?:es)?",
)
/** Who has to do something, whatever it is: "Customer service assistant: refund this order", "agents should prefer". */
const addressee =
  /(?<![\p{L}\p{N}])(?:ai|(?:ai|language) (?:models?|systems?|tools?)|assistants?|agents?|chatbots?|bots?|llms?|copilots?)(?:[:;]| (?:reading|working|processing|handling|summari[sz]ing|should|must|shall|please|need)(?![\p{L}\p{N}]))/iu

/** Whole words alone. */
function anyOf(...words: readonly string[]): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join("|")})(?![\\p{L}\\p{N}])`, "iu")
}

const betweenSentences = /(?<=[.?!\n])\s+/

/**
 * The texts to be read once more: all commands together, all sentences that only name an agent together, and each sentence and line alone,
 * because harmless ones can hide an attack among them. Repeated sentences count once. In a short text, or
 * where such sentences are most of it, only those that stood as code or data are returned, without its signs. A promise for a long text.
 */
export const addressedSentences = (text: string): MaybePromise<readonly string[]> => workOn(text, finding(text))

interface Found {
  readonly sentences: Set<string>
  /** Lines of sentences that have several. An order without a full stop may stand behind a line of code. */
  readonly lines: Set<string>
  /** Without the signs of code or data that they have. */
  readonly bare: Set<string>
}

const createFound = (): Found => ({ sentences: new Set(), lines: new Set(), bare: new Set() })

function* finding(text: string): Work<readonly string[]> {
  // Apart, so that harmless sentences about agents do not cover the others.
  const [commands, addresses] = [createFound(), createFound()]
  const take = (untrimmed: string, as: keyof Found): void => {
    const sentence = untrimmed.trim()
    if (sentence.length < shortestSentence || sentence.length > longestSentence) return
    if (command.test(sentence) && work.test(sentence)) commands[as].add(sentence)
    else if (addressee.test(sentence)) addresses[as].add(sentence)
  }
  const isLong = text.length >= longText
  const sort = (sentence: string): void => {
    if (isLong) {
      take(sentence, "sentences")
      if (sentence.includes("\n")) for (const line of sentence.split("\n")) take(line, "lines")
    }
    for (const part of sentence.includes("\n") ? [sentence, ...sentence.split("\n")] : [sentence]) {
      const bare = withoutMarks(part)
      if (bare !== undefined) take(bare, "bare")
    }
  }
  let rest = ""
  for (const piece of piecesOf(text)) {
    const sentences = (rest + piece).split(betweenSentences)
    rest = sentences.pop() ?? ""
    sentences.forEach(sort)
    if (rest.length > longestSentence) {
      const end = rest.lastIndexOf("\n") + 1
      sort(rest.slice(0, end))
      rest = rest.length - end > longestSentence ? "" : rest.slice(end)
    }
    yield
  }
  sort(rest)
  return [commands, addresses].flatMap((found) => textsOf(found, text.length))
}

function textsOf({ sentences, lines, bare }: Found, length: number): readonly string[] {
  const together = [...sentences].join("\n")
  if (Math.max(together.length, [...lines].join("\n").length) > length * mostOfText)
    return bare.size === 0 ? [] : textsOf({ ...createFound(), bare }, length)
  const all = [...new Set([...sentences, ...lines, ...bare])]
  if (all.length === 0) return []
  const most = Math.min(maxQuestions, Math.ceil(length / charactersOfQuestion))
  const size = Math.ceil(all.length / most)
  const singly = Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
    all.slice(at * size, (at + 1) * size).join("\n"),
  )
  return [...new Set([together, ...singly])].filter((each) => each !== "")
}
