// Whether the words beside a name say that the writer of a text deals with its person: docs/why/private-persons.md.

import type { TextRange } from "../../../kernel/index.ts"
import { isRelated } from "./relations.ts"

/** Who they are to the writer, how they are addressed or reached, what is written about them, or what is between them and the writer. */
export function isDealtWith(text: string, { start, end }: TextRange): boolean {
  const before = text.slice(Math.max(0, start - 96), start)
  const after = text.slice(end, end + 128)
  return (
    [introduces, addresses, relates, signs, documents, employs].some((words) => words.test(before)) ||
    [says, isAway, isInOurDebt].some((words) => words.test(after)) ||
    (anyTitle.test(before) && isTreated.test(after)) ||
    isRelated(before, after) ||
    (isOurs.test(sentence(before, after)) && isPrivateMatter.test(sentence(before, after)))
  )
}

/** Whether a title or a relation stands in front of a name. */
export function isAnnounced(text: string, { start }: TextRange): boolean {
  const before = text.slice(Math.max(0, start - 64), start)
  return anyTitle.test(before) || relates.test(before) || isRelated(before, "")
}

/** The sentence of a name, without the name, as far as it is near. */
const sentence = (before: string, after: string): string =>
  `${/[^.!?\n]*$/.exec(before)?.[0] ?? ""}|${/^[^.!?\n]*/.exec(after)?.[0] ?? ""}`

const title = "(?:(?:mr|mrs|ms|miss|dr|prof|herrn?|frau|mme|madame|monsieur|señora?)\\.?\\s+)?"
/** In front of a surname; in capitals, because some are other words as well. */
const anyTitle =
  /(?<!\p{L})(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Herrn?|Frau|Mme|Mlle|Madame|Monsieur|Sr|Sra|Srta|Señora?|Signora?|Sig|Mevrouw|Meneer|Dhr|Mevr)\.?\s+$/u

const introduces = new RegExp(
  `(?:^|[^\\p{L}])(?:my (?:full |first |last |real |legal )?names?(?:'s| is| are|:)|i am|i'm|this is|it's|call me|(?:full |first |last |sur|given |family |customer |patient |employee |account (?:holder )?)names?\\s*["']?\\s*[:=|]\\s*["']?|(?:account|card|policy)[ -]?holder[:,]?|kontoinhaber(?:in)?:?|signed,?|attn:?|c/o|to:|from:|cc:)\\s*${title}$`,
  "iu",
)

const addresses = new RegExp(
  `(?:^|[\\n.!?:"“>]\\s*)(?:dear|hi|hello|hey|good (?:morning|afternoon|evening)|greetings|thanks|thank you|hallo|guten (?:tag|morgen|abend)|liebe[r]?|sehr geehrte[r]?|bonjour|bonsoir|ch(?:er|ère)|hola|buen[oa]s (?:días|tardes)|estimad[oa])[ ,]+${title}$`,
  "iu",
)

const signs =
  /(?:regards|sincerely|cheers|best(?: wishes)?|yours(?: truly| faithfully)?|thanks|love|grüße|cordialement|saludos)\s*[,!.]?\s*[-–—]*\s*$/iu

const relations = [
  "friend|girlfriend|boyfriend|fianc[eé]e?|partner|husband|wife|spouse|ex|mother|mom|mum|father|dad|parent|son|daughter|child|kid|baby|brother|sister",
  "twin|uncle|aunt|cousin|nephew|niece|grand(?:mother|father|ma|pa|son|daughter|parent|child)|neighbou?r|room-?mate|flat-?mate|house-?mate|class-?mate",
  "landlord|landlady|tenant|sub-?tenant|lodger|resident|boss|manager|supervisor|colleague|co-?worker|team-?mate|(?:team|staff) member|member of staff",
  "assistant|secretary|receptionist|intern|trainee|apprentice|employee|direct report|subordinate|predecessor|successor|volunteer|(?:sub-?)?contractor",
  "freelancer|client|customer|patient|applicant|candidate|accountant|lawyer|solicitor|doctor|gp|dentist|nurse|midwife|therapist|physiotherapist|carer",
  "babysitter|nanny|cleaner|gardener|plumber|electrician|teacher|tutor|coach|student|pupil|guest|buyer|seller|supplier|donor|claimant|beneficiary",
  "policy-?holder|defendant|plaintiff|borrower|debtor|witness",
].join("|")
const relates = new RegExp(
  `(?:^|[^\\p{L}])(?:(?:my|our)\\s+(?:[\\p{L}-]+\\s+){0,2}(?:ex-|step-?|half-)?(?:${relations})s?(?:-in-law)?|(?:patient|client|customer|tenant|applicant|claimant|passenger|subscriber|borrower|defendant|plaintiff))(?:[,:]|,? (?:is|was|named|called|name is))*\\s+${title}$`,
  "iu",
)

const says =
  /^(?:['’]s)?(?:\s*(?:<|\((?:\d{1,3}[ ),y]|[^)\n]{0,60}@|\+?\d[\d /()-]{6}|tel|phone|mobile|ext|my |our ))|,? (?:lives? (?:at|in|on)|is my|was my|my |our |one of (?:my|our) |an? [\p{L}-]+ of (?:mine|ours)|from (?:accounting|hr|sales|legal|finance|it|support|marketing|payroll)|at ext)|['’]s (?:address|phone|number|e-?mail|birthday|account|salary|password|passport|diagnosis|medical|prescription|appointment|contract|invoice|payslip|insurance|doctor|landlord))/iu

/** Papers that people write about those with whom they work, whom they treat or to whom they let a flat. */
const documents = new RegExp(
  `(?<!\\p{L})(?:(?:referral|termination|dismissal|warning|reprimand|recommendation|reference|eviction|dunning|payment reminder|discharge|rejection|redundancy|severance|suspension|disciplinary|job offer|offer|appointment|probation|condolence|sympathy)\\s+(?:letter|note|notice|e-?mail|mail|message)s?|letters? of (?:recommendation|reference|termination|dismissal|warning|condolence)|(?:writ|draft|compos|prepar|need|giv|provid)\\p{L}{0,3} (?:me |us )?an? (?:\\p{L}+ )?reference(?= for)|performance (?:review|appraisal|evaluation)s?|appraisals?|(?:employment|work|rental|tenancy|lease) (?:contract|agreement)s?|payslips?|medical (?:report|certificate)s?|sick notes?|(?:care|treatment) plans?|prescriptions?|discharge (?:summary|summaries)) (?:for|about|to|regarding|concerning) (?:(?:my|our|the|a) )?${title}$`,
  "iu",
)

/** "We have to dismiss …" */
const employs = new RegExp(
  `(?<!\\p{L})(?:we|i)(?:['’](?:ve|re|m|ll|d))? (?:(?:have|had|has|are|am|must|need|want|will|would|to|just|recently|like) ){0,3}(?:hir(?:e|ed|ing)|employ(?:ed|ing)?|fir(?:e|ed|ing)|dismiss(?:ed|ing)?|la(?:y|id|ying) off|evict(?:ed|ing)?|su(?:e|ed|ing)|invoic(?:e|ed|ing)|promot(?:e|ed|ing)|owe|owed) ${title}$`,
  "iu",
)

/** Of what keeps an employee from work nobody writes but those around. */
const isAway =
  /^(?:['’]s| is| was| has been| will be| went| goes|,? who(?:['’]s| is| was| has been))?(?: currently| now| still| again)? (?:on (?:long-term |extended )?(?:sick|medical|maternity|paternity|parental|stress|disability|compassionate|bereavement|family|unpaid|gardening) leave|off sick|call(?:s|ed)? in sick|signed off sick|hand(?:s|ed) in (?:his|her|their) notice)(?!\p{L})/iu

const isInOurDebt =
  /^[^.!?\n]{0,80}(?<!\p{L})(?:owe[sd]?|work(?:s|ed)? (?:for|with)|report(?:s|ed)? to|sued|is suing|stole from|rent(?:s|ed) from|borrowed from|complained to|applied to|(?:hired|employed) by) (?:us|me)(?!\p{L})/iu

/** What medicine somebody takes now: news and histories tell of the past. */
const isTreated =
  /^,? ?(?:who |and )?(?:takes|is taking|is on|is pregnant|is allergic|is diabetic|suffers from|has (?:type [12] )?(?:diabetes|asthma|cancer|epilepsy|dementia|depression|hypertension|high blood))(?!\p{L})/iu

const isOurs =
  /(?<!\p{L})(?:(?:our|my) (?:company|firm|business|organi[sz]ation|clinic|practice|hospital|ward|surgery|office|department|team|staff|school|shop|store|warehouse|restaurant|hotel|building|flat|house|apartment|property)|(?:all|our|the) (?:staff|employees|colleagues|tenants|parents)|human resources|HR)(?!\p{L})/iu

const isPrivateMatter =
  /(?<!\p{L})(?:sick|ill|illness|disease|diabet\p{L}+|cancer|depress\p{L}+|anxiety|pregnan\p{L}+|diagnos\p{L}+|surgery|medication|hospitali[sz]ed|injur\p{L}+|addict\p{L}+|alcohol\p{L}*|rehab|burnout|dismiss\p{L}+|fired|terminat\p{L}+|laid off|redundan\p{L}+|resign\p{L}*|absen(?:t|ce)\p{L}*|salary|misconduct|harass\p{L}+|debts?|unpaid|arrears|overdue|bankrupt\p{L}*|convict\p{L}+|theft|stole|stealing|fraud|arrest\p{L}*|assault\p{L}*)(?!\p{L})/iu
