// Shops, offices and museums: their addresses and telephones are for everybody. Who has opening hours is no private person. Other
// words with a number are no hours: a ticket is closed on the 3rd, and a course opens at 4500 EUR.

import type { Entity } from "./entities.ts"

const kinds: ReadonlySet<string> = new Set(["STREET_ADDRESS", "PHONE_NUMBER", "ZIP_CODE"])

/** Opening hours stand so near, in the same paragraph. */
const reach = 160

/** Whether a finding is an address or a telephone of a place that has opening hours. */
export function isPublicPlace(text: string, { kind, start, end }: Entity): boolean {
  if (!kinds.has(kind)) return false
  const before = text.slice(Math.max(0, start - reach), start)
  const behind = text.slice(end, end + reach)
  const near = `${before.slice(before.lastIndexOf("\n\n") + 1)}|${behind.split("\n\n", 1)[0]}`
  return hours.test(near) && !person.test(near) && !named.test(before)
}

const day = "(?:mon|tue|wed|thu|fri|sat|sun)(?:day|sday|nesday|rsday|urday)?"
const tag = "(?:mo|di|mi|do|fr|sa|so)(?:ntag|enstag|ttwoch|nnerstag|eitag|mstag|nntag)?s?\\.?"
const to = "\\.? ?(?:[–-]|to|through|thru|until|till|bis|à|a|às|alle) ?"
const hour = "(?:[01]?\\d|2[0-4])"
const halfOfDay = " ?[ap]\\.?m(?![\\p{L}\\d])"
/** "9am", "17:30", "8 Uhr", "9-17": a number alone is a day of the month, a price or a count. */
const clock = `${hour}(?::[0-5]\\d(?!\\d)|(?:[:.][0-5]\\d)?(?:${halfOfDay}| ?(?:uhr|h\\d{0,2}|o['’]clock)(?!\\p{L})|${to}${hour}(?!\\d|[./-]\\d)))`
/** What is so every week: "Mondays", "Mon-Fri", "Friday 9am". What is so on "Friday" has happened to a ticket as well. */
const everyWeek = `(?:${day}(?:s|(?:${to}|,? ?(?:and|&|,) ?)${day}s?|,? (?:from |at )?${clock})|weekdays|weekends|daily|every day|7 days)`
const hours = new RegExp(
  [
    "open(?:ing)?[ _]?(?:hours|times)",
    `(?<!\\p{L})(?:open|opens|closes)(?: (?:on|at|from|until|till|again|every))* ?(?:${everyWeek}|${clock}|(?<=(?:at|from|until|till) )(?:six|seven|eight|nine|ten|noon|midnight))(?!\\p{L})`,
    // "The deal was closed at 17:30" tells of one day, "closed 12-2pm" of each.
    `(?<!\\p{L})(?:closed|closing)(?: (?:on|from|until|till|again|every))* ?(?:${everyWeek}|${clock})(?!\\p{L})`,
    `(?<!\\p{L})${day}s?${to}${day}s?[,:]? ${clock}|(?<!\\p{L})${tag}${to}${tag}[,:]? (?:von )?${clock}`,
    `öffnungszeiten|täglich(?: von)? ${clock}|geöffnet[,:]? (?:ist )?(?:(?:von|ab|bis|täglich|${tag}(?:${to}${tag})?)(?!\\p{L}) ?){0,3}${clock}|(?:uhr|täglich) geöffnet|ruhetag`,
    `ouverte?s? (?:(?:de|du|tous|les|jours|le|à|jusqu['’]à|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|au)(?!\\p{L}) ?){1,6}(?:${clock}|(?<=(?:tous les jours|dimanche|samedi|vendredi) ?))(?!\\p{L})`,
    "horaires? d['’]ouverture|horarios? de (?:apertura|atención)|horarios?(?: comercial)?:|orari(?:o)? di apertura",
  ].join("|"),
  "iu",
)
/** Whose address may stand beside the hours of somebody else. */
const person = new RegExp(
  `(?<!\\p{L})(?:${[
    "my|our customer|customers?|clients?|patients?|tenants?|guests?|he|she|her|his|deliver(?:y|ed)?|ship(?:ped|ping)?|home|lives?|resident|name:",
    "caller|applicant|complainant|candidate|landlord|landlady|neighbou?r|(?:call|ring|text|reach|phone|contact|message) me",
    "mein(?:e[mnrs]?)?|ruf(?:e|t|en)?(?: sie)? mich|kund(?:e|in)|mieter(?:in)?|bewerber(?:in)?|wohnt|appel(?:le|ez)-moi|llám[ae]me|chiamami|me lig(?:a|ue)|bel me",
  ].join("|")})(?!\\p{L})`,
  "iu",
)
/** Somebody by name whom the number reaches: "ring Ann Lee on ", and no "Visitor Services". */
const named =
  /(?<!\p{L})(?:[Cc]all|[Rr]ing|[Rr]each|[Tt]ext|[Pp]hone|[Cc]ontact|[Aa]sk for|[Ss]peak to)(?: (?:Mrs?|Ms|Dr)\.?)?(?: (?!(?:Visitor|Customer|Guest|Tourist|Services?|Information|Office|Desk|Reception|Centre|Center|Museum|Gallery|Library|Hotel|Team|Support|Clinic|Hospital|Restaurant)(?!\p{L}))\p{Lu}[\p{Ll}'’-]+){2,3},? (?:on|at|under|via|:|\()? ?$/u
