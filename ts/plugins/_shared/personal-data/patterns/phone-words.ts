// Words in front of a number that say that it is one to call, in the languages that prompts are written in.

import { isNumberOfFile, isNumberOfThing, textBefore } from "./text-range.ts"

/**
 * How sure words make it. `surely`: "phone: 5550132". `likely`: "call me at 5550132", which a date or a count may follow as well.
 * `perhaps`: "mobile 5550132" or "my phone says 5550132", where a short number may be anything.
 */
export type Announcement = "surely" | "likely" | "perhaps"

/** What the words in front of a number say of it. */
export function announcementOf(text: string, start: number): Announcement | undefined {
  // Most numbers have none before them, and this says so faster than the patterns.
  const last = text
    .slice(Math.max(0, start - 24), start)
    .match(/[\p{L}\d]/gu)
    ?.at(-1)
  if (last === undefined || /\d/.test(last)) return undefined
  const before = textBefore(text, start)
  const announcement = levels.find(([, patterns]) => patterns.some((pattern) => pattern.test(before)))?.[0]
  if (announcement === undefined || isNumberOfThing(text, start) || isNumberOfFile(text, start)) return undefined
  return announcement
}

/** Words for telephones that mean nothing else. */
const telephone = [
  "(?:tele|cell|(?:emergency|home|work|mobile|office|contact|cell)[ _-]?)?phone|contact (?:number|no)|tel(?! aviv)|landline|whatsapp",
  "telefoon(?:nummer)?|mobiel(?:nummer)?|telefon(?:e|o|nummer|nr|szám|u|ni|numaram?)?|telefón|rufnummer|festnetz(?:nummer)?|handy(?:nummer)?|durchwahl|rückruf",
  "teléfono|móvil|celular|telemóvel|téléphone|ligne (?:directe|fixe)|cellulare|telefonino|tlf|mobil(?:nummer|nr|telefon)|puhelin|komórk[aięą]",
  "тел|телефон\\p{L}{0,2}|мобильн\\p{L}{2,3}|τηλ|τηλέφωνο|κινητό|điện thoại|sđt|telepon|nomor hp",
  "(?:my|his|her|their) (?:new |direct |private )?number|(?:meine|seine|ihre) (?:neue |private )?nummer|mijn nummer|mi número|(?:o )?meu número|il mio numero|mon numéro|mój numer|мой номер|mi[nt]t? nummer",
].join("|")
/** In scripts that put no space between words. */
const unspaced = "电话|電話|手机|手機|携帯|전화|휴대폰|फ़ोन|फोन|मोबाइल|هاتف|جوال|טלפון|נייד"
/** Words that have other meanings. */
const ambiguous = "mobile?|desk|cell|fax|(?:i|smart)phone|sms|hotline|cep|gsm|portable|моб|puh|caller|anrufer(?:in)?"
const link =
  "(?:[ _-]?(?:numbers?|no|nr|num|nummer|numarası))?\\.?[\"'”»)]{0,2}(?: {0,2}(?:[:：=]|(?:is|are|was|ist|war|lautet|es|est|è|é|jest|это)(?!\\p{L}))){0,2} {0,2}[\"'“«(<]{0,2}"
const newLine = "[:：]?[ \\t]*\\n[ \\t]*"
/** A link that says something. */
const saysSo = `(?=[^\\p{L}\\n]{0,3}(?:[:：=]|\\n|(?:numbers?|no|nr|num|nummer|numarası|is|are|was|ist|war|lautet|es|est|è|é|jest|это)(?!\\p{L})))`
/** What may stand between a verb and its number. */
const gap = "[^\\d\\n\\t;|$€£¥]"

const pattern = (...alternatives: readonly string[]): RegExp => new RegExp(`(?:${alternatives.join("|")})$`, "iu")
const wordsOf = (words: string): string => `(?:^|[^\\p{L}])(?:${words})(?!\\p{L})`

/** Letterheads write `T 030 901820` on a line of its own. */
const letterhead = /(?:^|\n)[TMF][.:]? $/i

const verbs = pattern(
  `(?:^|[^\\p{L}])(?:${[
    `(?:call|text|ring|dial|reach|phone)(?:ed|ing)? (?:(?:me|him|her|us|them|home|back)(?!\\p{L})${gap}{0,24}|[\\p{L} .'-]{1,24} (?:on|at) )`,
    `(?:answer|reach|contact|availab)\\p{L}{0,4}${gap}{0,24} (?:at|on|under) `,
    `ruf(?:e|t|en)?(?: sie)? (?:mich|uns|ihn|bitte)(?!\\p{L})${gap}{0,24}|(?:erreich|anruf|zurückruf|telefonisch|meld)\\p{L}{0,4}${gap}{0,24} unter `,
    `ll[aá]m[ae](?:me|nos|le)(?!\\p{L})${gap}{0,16}|(?:ll[aá]m|cont[aá]ct|escr[ií]b)\\p{L}{0,6} (?:al|en el) `,
    `(?:me lig(?:a|ue|ar|uem)|lig(?:a|ue|ar|uem)(?:-me| (?:para|pra) mim))(?!\\p{L})${gap}{0,16}`,
    `(?:chiam|contatt)(?:a|ate)(?:mi|ci)(?!\\p{L})${gap}{0,16}|(?:mi chiami|chiamare|richiamare|raggiungibile) (?:al|il) `,
    `bel(?:t|len)? (?:me|mij|ons|hem|haar)(?!\\p{L})${gap}{0,16}|(?:te bereiken|bereikbaar|bellen)${gap}{0,12} (?:op|onder|naar) `,
    `(?:za)?dzwoń(?:cie)?(?!\\p{L})${gap}{0,20}|(?:za)?dzwonić${gap}{0,16} (?:pod|na) `,
    `r?appel(?:le|ez)-(?:moi|nous)(?!\\p{L})${gap}{0,16}|(?:r?appel(?:er|ez|le)|joindre|joignable|contacter)${gap}{0,16} (?:au|sur le) `,
    `(?:по|пере)?звони(?:те|ть)?(?!\\p{L})${gap}{0,16}|набери(?:те)?(?!\\p{L})${gap}{0,12}|(?:по)?дзвон(?:и|іть)(?!\\p{L})${gap}{0,16}`,
    `ring(?:e|a)? (?:mig|meg|oss)(?!\\p{L})${gap}{0,12}|soita(?:kaa)?(?!\\p{L})${gap}{0,16}|(?:za)?volej(?:te)? (?:mi|na)(?!\\p{L})${gap}{0,12}`,
    `hívj(?:on|atok)?(?!\\p{L})${gap}{0,12}|sun[aă](?:ți)?-m[aă](?!\\p{L})${gap}{0,12}|hubungi (?:saya|kami)(?!\\p{L})${gap}{0,12}`,
  ].join("|")})`,
)

/** "please call 5550132": in front of the verb stands nothing that would make it a noun, as in "each call" and "the function call". */
const imperative =
  /(?:^|[.!?:;,(\n"“]\s*|(?:please|to|can|could|should|must|may|just|then|and|or|you|we|i|they|will) )(?:call|dial):? {0,2}$/iu
/** "call Anna Lee 4155550132" */
const named =
  /(?:^|[.!?:;,(\n"“]\s*|(?:[Pp]lease|to|can|could|should|must|just|then|and|or|you|will) )(?:[Cc]all|[Rr]ing|[Tt]ext|[Pp]hone|[Dd]ial)(?: \p{Lu}[\p{Ll}'’-]+){1,3}:? $/u

const levels: readonly (readonly [Announcement, readonly RegExp[]])[] = [
  [
    "surely",
    [
      pattern(
        `(?:${wordsOf(telephone)}|${unspaced})${saysSo}(?:${link}|${newLine})`,
        `${wordsOf(ambiguous)}${saysSo}(?:${link}|${newLine})`,
      ),
      letterhead,
    ],
  ],
  ["likely", [pattern(`(?:${wordsOf(telephone)}|${unspaced})(?:${link}|${newLine})`), verbs, imperative]],
  [
    "perhaps",
    [
      pattern(
        `(?:${wordsOf(`${telephone}|${ambiguous}|numéro`)}|${unspaced})[^\\d\\n$€£¥]{0,24}`,
        "(?:^|[^\\p{L}])(?:registered (?:number |phone |mobile )?|(?:contact|kontakt|contacto|contatto|contato):? {0,2})",
      ),
      named,
    ],
  ],
]
