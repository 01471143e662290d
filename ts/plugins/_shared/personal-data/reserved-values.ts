// Values with the form of personal data that are nobody's: addresses inside of networks, of documentation and of public services,
// mailboxes that nobody reads or that belong to an office or a list, accounts of services, and free telephone numbers. They stand in every other configuration
// file and letterhead. A rule that names kinds finds them all the same.

import type { Entity } from "./entities.ts"
import { encodedSign } from "./patterns/email-address.ts"
import { toPlainEmail } from "./patterns/spelled-email.ts"
import { isServiceAccount } from "./service-accounts.ts"

/** Whether a value of a kind tells of no person. */
export function isOfNobody(kind: string, value: string): boolean {
  if (kind === "IP_ADDRESS") return value.includes(":") ? isShared6(value) : isShared4(value)
  if (kind === "PHONE_NUMBER") return freephone.test(value)
  if (kind === "USERNAME") return isServiceAccount(value)
  if (kind !== "EMAIL_ADDRESS") return false
  const address = toPlainEmail(value.replace(encodedSign, "@"))
  return [unread, standIn, standInDomain, office, mailingList, reservedDomain].some((pattern) => pattern.test(address))
}

/** Resolvers that everybody asks: Cloudflare, Google, Quad9, OpenDNS. */
const resolvers: ReadonlySet<string> = new Set([
  "1.0.0.1",
  "1.1.1.1",
  "8.8.4.4",
  "8.8.8.8",
  "9.9.9.9",
  "149.112.112.112",
  "208.67.220.220",
  "208.67.222.222",
])

/** RFC 1918, 3927 and 6598: networks that are the same in every house. RFC 5737 and 2544: documentation and measuring. */
const networks: readonly RegExp[] = [
  /^10\./,
  /^172\.(?:1[6-9]|2\d|3[01])\./,
  /^192\.168\./,
  /^169\.254\./,
  /^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./,
  /^192\.0\.2\./,
  /^198\.51\.100\./,
  /^203\.0\.113\./,
  /^198\.1[89]\./,
]

const isShared4 = (value: string): boolean => resolvers.has(value) || networks.some((network) => network.test(value))

/** RFC 4193, 4291 and 3849. */
const localOrExample6 = /^(?:f[cd][0-9a-f]{2}|fe[89ab][0-9a-f]|2001:0?db8):/i
/** Google, Cloudflare, Quad9, OpenDNS. */
const resolvers6 =
  /^(?:2001:4860:4860:(?::|(?:0{1,4}:){4})(?:8888|8844)|2606:4700:4700:(?::|(?:0{1,4}:){4})(?:1111|1001)|2620:0{0,3}fe:(?::|(?:0{1,4}:){5})(?:fe|0{0,3}9)|2620:0?119:(?:35::35|53::53))$/i

const isShared6 = (value: string): boolean => localOrExample6.test(value) || resolvers6.test(value)

const unread = /^(?:(?:do[._-]?not|no)[._-]?reply|mailer-daemon|postmaster)@|@users\.noreply\.github\.com$/i
/** What documentation writes in the place of a name, in the domains of RFC 2606. */
const standIn =
  /^(?:you|your[._-]?(?:name|e?mail)|user(?:name)?\d{0,2}|e?mail|name|me|foo|bar|baz|someone|somebody|test(?:er|user)?\d{0,2}|sample|git|first(?:name)?[._]last(?:name)?)@(?:[\w-]+\.)*(?:example(?:\.[a-z]{2,3}){0,2}|test|invalid|localhost)$/i
/** The same in the domains of others, where both sides of the sign stand for something: `test@test.com`, `a@b.co`. */
const standInDomain =
  /^(?:(?:you|your[._-]?(?:name|e?mail)|user(?:name)?\d{0,2}|e?mail|name|me|foo|bar|baz|qux|abc|xyz|someone|somebody|nobody|anyone|test(?:er|ing|user)?\d{0,3}|example|sample|demo|dummy|fake|first(?:name)?[._]?last(?:name)?|(?:john|jane)[._]?(?:doe|smith))@(?:(?:my|your|some|the)[._-]?)?(?:test|foo|bar|baz|domain|company|e?mail|abc|xyz|sample|demo|dummy|fake|site|website|host|server)\.(?:com|net|org|io|co|de|tld|dev|app)|[a-z]@[a-z]\.[a-z]{2,3})$/i
/** Of an office and of no person: RFC 2142, and what companies name their mailboxes, also with a country or another word for them. */
const office =
  /^(?:info(?:rmation|s)?|hello|contact(?:us|-us)?|kontakt|contacto|contato|office|sales|support|help(?:desk)?|service|kundenservice|customer[._-]?(?:service|care|support)|marketing|press|presse|media|jobs|careers?|recruit(?:ing|ment)|bewerbung|billing|accounts?|invoices?|orders?|bookings?|reservations?|newsletter|feedback|enquir(?:y|ies)|inquir(?:y|ies)|legal|privacy|dpo|datenschutz|compliance|abuse|noc|security|admin(?:istrator)?|hostmaster|webmaster|root|team|staff|crew|shop|store|returns?|refunds?|shipping|delivery|dispatch|visit(?:ors?)?|reception|front[._-]?desk|tickets?|events?|membership|members|donations?|partners?|community|education|library|archive|editor(?:s|ial)?|redaktion|letters|tips|news|ombuds(?:man|person|stelle)?|complaints?|claims|phishing|spam|fraud|bugs?|ops|operations|on[._-]?call|devops|sre|infra(?:structure)?|alerts?|monitoring|packages|maintainers?|releases?|opensource|licensing|copyright|dmca|open-source|opencode|conduct|code[._-]?of[._-]?conduct|coc|moderat(?:ion|ors?)|governance|board|foundation|trademarks?|secure|psirt|cert|cna|vulnerabilit(?:y|ies)|disclosures?|reports?|reporting|trust|safety|hr|people|talent|finance|accounting|buchhaltung|verwaltung|sekretariat|empfang|zentrale|vertrieb|einkauf|service[._-]?desk|it|kundendienst|ventas|soporte|ayuda|prensa|reservas|commercial|secretariat|accueil|recrutement|service[._-]?client|segreteria|assistenza|amministrazione|ordini|vendite|vendas|suporte|atendimento|faleconosco|financeiro)(?:[._-](?:team|desk|office|reports?|support|eu|us|uk|de|fr|at|ch|intl?|global|alerts?))?@/i
/** Lists that many people read. */
const mailingList =
  /^(?:[\w.]+-(?:dev(?:el)?|users?|announce|discuss|lists?|commits|bugs?|help|team|owner|request|patches|maintainers)|bug-[\w.-]+)@|@(?:lists?\.[\w.-]+|[\w-]+\.lists\.[\w.-]+|vger\.kernel\.org|(?:[\w-]+\.)?googlegroups\.com|groups\.io)$/i
/** In quotes, as code and its tests have them. */
const sampleDomain = /@(?:[\w-]+\.)*example\.(?:com|net|org)$/i

/** Whether a finding is a mail address of the domains for examples that stands in quotes or behind the name of a field. */
export function isSample(text: string, { kind, start, end }: Entity): boolean {
  if (kind !== "EMAIL_ADDRESS" || !sampleDomain.test(text.slice(start, end))) return false
  const before = text.slice(Math.max(0, start - 24), start)
  return /["'`](?:mailto:)?$/.test(before)
    ? /^["'`]/.test(text.slice(end, end + 1))
    : /(?:^|\n)[ \t-]*[\w.]{0,12}mail: $/.test(before)
}

/** Whether a finding is a network and no machine in it: `192.0.0.0/24`, `2001:470::`. */
export const isNetwork = (text: string, { kind, start, end }: Entity): boolean =>
  kind === "IP_ADDRESS" &&
  (text.slice(start, end).endsWith("::") ||
    (text.slice(start, end).endsWith(".0") && /^\/\d/.test(text.slice(end, end + 2))))

/** The address that stands in each file under a licence of GNU. */
const foundation = /Free Software[\s#*/]{1,12}Foundation,?[\s#*/]{1,12}(?:Inc\.?,?)?[^"{}]{0,100}$/i
export const isOfFoundation = (text: string, { kind, start }: Entity): boolean =>
  /^(?:STREET_ADDRESS|PHONE_NUMBER|ZIP_CODE)$/.test(kind) &&
  foundation.test(text.slice(Math.max(0, start - 160), start))

/** Numbers by which companies pay taxes and are registered: they stand on each invoice and in public registers. */
const ofCompany =
  /(?<!\p{L})(?:ust-?id(?:[. -]?nr\.?)?|umsatzsteuer-?id\p{L}*|uid-(?:nummer|nr)|vat(?: (?:reg(?:istration)?|id))?|eori|tva|p(?:artita|\.) ?iva|btw[ -]?(?:nummer|nr|id)|kvk|siren|siret|cnpj|gstin|abn|acn|ein(?=[:#]| (?:number|no|nr))|hr[ab]|handelsregister|company (?:reg(?:istration)?|registered)|duns)(?:[ -]?(?:intracommunautaire|nummer|number|num|no|nr|id|code)\b\.?)?[\s:#"'=]{0,4}(?:is |ist )?$/iu

/** Whether a finding is the number of a company, or of an account of Amazon's services, which names a customer and opens nothing. */
export function isOfBusiness(text: string, { kind, start, end }: Entity): boolean {
  if (kind !== "ID") return false
  const before = text.slice(Math.max(0, start - 160), start)
  if (ofCompany.test(before.slice(-48))) return true
  return /^\d{12}$/.test(text.slice(start, end)) && /arn:aws|(?<!\p{L})(?:aws|iam)(?!\p{L})|amazonaws/iu.test(before)
}

/** RFC 2606, and where extensions of SSH have their names. Of its domains `example.com`, `.net` and `.org` are where people look for a guard that finds something. */
const reservedDomain = /[@.](?:example|test|invalid)$|@(?:openssh\.com|libssh\.org)$/i

/** Free for who calls: 0800 in most countries, 800 and its like in North America. */
const freephone =
  /^\(?(?:0 ?800(?!\d{8})|(?:\+|00)(?:\d{1,3}[ ().-]{1,3}(?:0\)? ?)?|4[1349]|3[1239]|64)800(?=[ ().-]?\d)|(?:\+|00)?1[ ().-]{0,2}8(?:00|33|44|55|66|77|88)\)?[ .-]{0,2}\d{3}[ .-]?\d{4}(?!\d)|8(?:00|33|44|55|66|77|88)(?:\) ?|[ .-])\d{3}[ .-]\d{4}(?!\d))/
