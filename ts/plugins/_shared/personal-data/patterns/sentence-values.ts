// Values in sentences, behind words that say what they are: "my password is …", "user …", "passport number …", "aged …".

import type { TextRange, Work } from "../../../../kernel/index.ts"
import { isNameInCode } from "./field-labels.ts"
import { isNoPassword, isPlaceholder } from "./secrets/secret-value.ts"
import { matchesOfStep } from "./text-range.ts"

export interface LabelledRange extends TextRange {
  readonly kind: string
}

/** What a pattern took for a value, with some of the text on both sides. */
interface Candidate {
  readonly value: string
  readonly before: string
  readonly behind: string
}

const number = "[#:]?\\s{0,2}(?:is |was |of )?[\"'‘“#]?"
/** What tells that the next word is the value: "user is", "password:", or a quotation mark. */
const verb = "(?: is:?| was| ist:?| lautet:?| es| est|:) [\"'‘“]?"
const quote = " ?[\"'‘“]"
/** No more of a word than a value may have: a text of one word with many labels would be searched to its end for each. */
const within = "[^\\s\"'’”),]{0,64}"
const endOfValue = "(?=[\"'’”.,;)]*(?:\\s|$))"

const passwordWords =
  "password|passwd|passphrase|passcode|pwd|pw|kennwort|passwort|contraseña|(?<!palabras? )clave|mot de passe|mdp|wachtwoord|senha|palavra-passe|parol[aăe](?: d['’]ordine)?|hasło|hasła|heslo|lösenord(?:et)?|adgangskoden?|passord(?:et)?|salasana(?:ni)?|jelsz[óo](?:m|)|şifre(?:m|miz)?|парол[ья]|geslo|lozinka"
/** "for the guest wifi", "do wifi" */
const ofWhat =
  "(?: (?:for|in|of|to|on|at|from|für|im|vom|zum|zu|von|de|du|del|della|di|do|da|pour|para|per|voor|van|na|till|til|от|для|(?:m|d|s)eine[rs]|(?:uns(?:e)?r|ihr|ein|dies)e?[rs]|des|der|moj\\p{L}{1,3}|mé(?:ho)?|mojí|мо\\p{L}{1,3}|mit[t]?|min[ae]?)(?: [\\p{L}\\d'’-]{1,20}){1,6}?)?"
const passwordVerb =
  "(?: is:?| was:?| ist:?| war:?| lautet:?| es:?| est:?| é:?| è:?| era:?| to:?(?<=(?:hasło|hasła)[^.\\n]{0,40})| je:?| är:?| er:?| on:?(?<=salasana.{0,3})| ?[:：]| [—–=]) [\"'‘“]?"
const fromWord = "(?:from|von|de|da|van|z|från|fra|с)"
const toWord = "(?:to|into|auf|zu|in|a|à|en|para|por|naar|na|till|til)"

/** Whose PIN or of which door; a pin alone is one of a board or a list. */
const pinWords =
  "(?:PIN|(?:[Mm]y|[Oo]ur|[Cc]ard|[Dd]oor|[Gg]ate|[Aa]larm|[Ss]afe|[Gg]arage|[Pp]hone|[Bb]ank|[Dd]ebit|[Aa]tm) (?:pin|PIN)|[Pp]in-?[Cc]ode|PIN-?(?:[Cc]ode(?:n)?|[Nn]ummer|[Kk]od(?:en)?)|[Gg]eheimzahl|[Pp]incode|(?:[Dd]oor|[Gg]ate|[Aa]larm|[Ss]afe|[Gg]arage|[Ll]ock) ?[Cc]ode)(?: code| number)?"

/**
 * In sentences: a label, a verb or a mark, and a value with a digit. Behind a mere space stand all kinds of words, such as in
 * "handle utf8" and "password sha256": there a value has to look like nothing else.
 */
const phrases: readonly (readonly [kind: string, pattern: RegExp, counts?: (candidate: Candidate) => boolean])[] = [
  [
    "PASSWORD",
    new RegExp(
      `(?<!\\p{L})(?:${passwordWords})(?:${ofWhat}${passwordVerb}|${quote}| (?=${within}[^\\s\\p{L}\\d"'’”.,;:)(/_-]))((?=${within}\\d)(?=${within}\\p{L})[^\\s"'’”]{4,64}?)${endOfValue}`,
      "giu",
    ),
    isNoCode,
  ],
  // "set my password to …", "changed the pw from … to …", "das Passwort auf … geändert"
  [
    "PASSWORD",
    new RegExp(
      `(?<!\\p{L})(?:${passwordWords})${ofWhat}(?: ${fromWord} [^\\s]{4,64})? (?:${fromWord}|${toWord}) ["'‘“]?([^\\s"'’”]{6,64}?)${endOfValue}`,
      "giu",
    ),
    isChanged,
  ],
  [
    "PASSWORD",
    new RegExp(
      `(?<=(?<!\\p{L})(?:${passwordWords})${ofWhat} ${fromWord} ["'‘“]?)([^\\s"'’”]{6,64}?)(?=["'’”]? ${toWord} )`,
      "giu",
    ),
    isChanged,
  ],
  // "密码是…", "パスワードは「…」"
  [
    "PASSWORD",
    /(?:密码|密碼|口令|パスワード|비밀번호)(?:[ \t]?(?:是|为|為|改成|改为|设为|は|を|는|은|가|를)|(?=[ \t:：]))[ \t]?[:：]?[ \t]?[「『"“']?((?=[!-~]{0,64}?\d)(?=[!-~]{0,64}?[A-Za-z])[A-Za-z\d][!#-&*-;=?-Z^-~]{4,62}[!#-&*+\dA-Za-z=?@^_~-])/gu,
    isNoCode,
  ],
  // "The login of the shop is admin / Blue-Tiger-88", "Zugangsdaten: ann, Kastanie-93!"
  [
    "PASSWORD",
    new RegExp(
      `(?<!\\p{L})(?:log-?ins?(?: details| data)?|credentials|creds|access(?: data)?|zugang(?:sdaten)?|anmeldedaten|login-?daten|identifiants|accès|acceso|credenciales|credenziali|accesso|acesso|credenciais|inloggegevens)(?: (?:for|of|to|on|from|für|vom|von|zum|zu|des|der|de|du|del|della|di|do|da|pour|para|per|voor|van)(?: [\\p{L}\\d.'’-]{1,24}){1,5}?)?(?: is:?| are:?| ist:?| sind:?| lautet:?| lauten:?| es:?| son:?| est:?| sont:?| é:?| è:?| sono:?| são:?| zijn:?| ?:) ["'‘“]?[\\p{L}\\d._@+-]{2,40}["'’”]?(?: ?[/|:] ?|, ?| (?:and|und|et|y|e|en|with|mit|avec|con|com|met) )["'‘“]?([^\\s"'’”/]{6,64}?)${endOfValue}`,
      "giu",
    ),
    ({ value, before }) => isMixed(value) && isNoCode({ value, before, behind: "" }),
  ],
  // `net use Z: \\srv\share /user:acme\ann …`
  [
    "PASSWORD",
    /(?<!\p{L})net use (?:\S{1,64} ){1,2}?(?:\/user:\S{1,64} ([^\s/*][^\s]{3,63})|([^\s/*\\][^\s]{3,63}) \/user:)/giu,
    ({ value }) => /\d|[!@#$%^&+=~]/.test(value) && !isPlaceholder(value),
  ],
  [
    "PASSWORD",
    new RegExp(
      `(?<!\\p{L})${pinWords}(?: (?:for|of|to|für|vom|von|zum|zur|der|des|(?:[mds]eine|(?:unse|ih|eine|diese)r?e?)[rs]|de|du|del|della|di|do|da|van|voor|till|til|mojej|mojego|mé|pro|для)(?: [\\p{L}\\d'’-]{1,20}){1,4}?)?(?:(?: is| was| ist| war| lautet| es| est| é| è| to| je| är| er):? (\\d{4,8})|: (\\d{4}))(?![\\d%]|[-.,/:]\\d|[ -]?[kKmMgG]?[hH]z|[ -](?:digits?|numbers?|characters?|ziffern|stellen|pins?|to|bis|ohms?|m?v|edition)(?!\\p{L}))`,
      "gu",
    ),
  ],
  [
    "USERNAME",
    new RegExp(
      `(?<!\\p{L})(?:(?<![_.\\d])(?:user ?name|user|login|handle|account name|benutzername|usuario)(?:${verb}|${quote}| \\()|(?:user ?name|user|account name|benutzername|usuario) (?=${within}[._]\\p{L})|TODO\\()((?=${within}(?:\\d|[._]\\p{L}))(?=${within}\\p{Ll})[\\p{L}\\d][\\p{L}\\d._-]{1,38}[\\p{L}\\d])(?=["'’”.,;:)]*(?:\\s|$))`,
      "giu",
    ),
    ({ value }) => !fileEnding.test(value) && !isNameInCode(value),
  ],
  [
    "ID",
    new RegExp(
      `(?<!\\p{L})(?:(?:employee|staff|patient|customer|client|member(?:ship)?|student|personnel|badge|policy|insurance|passport|national|tax|voter|pan(?: card)?|aadhaa?r|medical record|(?:bank )?account|user)(?: card)? ?(?:id|number|no\\.?|nr\\.?|code)|(?:reisepass|personalausweis|ausweis|pass|paspoort)-?(?:nummer|nr\\.?)|reisepass|n[uú]mero (?:de|di) (?:pasaporte|passaporto)|num[eé]ro de passeport|passport|mrn|user ?id|pesel|steuernummer|personalnummer|refund to account) ?${number}((?=(?:[^\\s\\d"'’”]{0,30}\\d){3})[\\p{L}\\d][\\p{L}\\d/_-]{3,29})(?=["'’”.,;:)]*(?:\\s|$))`,
      "giu",
    ),
  ],
  [
    "US_DRIVER_LICENSE",
    new RegExp(
      `(?<!\\p{L})(?:driver['’]?s?|driving) licen[cs]e(?: number| no\\.?| nr\\.?| id)? ?${number}((?=(?:[^\\s\\d"'’”]{0,30}\\d){3})[\\p{L}\\d][\\p{L}\\d-]{4,24})(?=["'’”.,;:)]*(?:\\s|$))`,
      "giu",
    ),
  ],
  [
    "AGE",
    /(?<!\p{L})(?:aged|age of|turn(?:s|ed|ing)?) ([1-9]\d?|1[01]\d)(?![\d%]|[.,]\d| (?:degrees|percent|minutes|hours|days|weeks|months|times))|(?<=^|[ (,])([1-9]\d?|1[01]\d)(?=[ -](?:years?[ -]old|y\/?o\b|years? of age))/giu,
  ],
]

/** Every sentence with a value has one of these. */
const mayHold =
  /pass|pasa|paspo|ausweis|pw|kennw|contras|clave|mdp|senha|wachtw|parol|has[lł]|heslo|lösen|adgang|salas|jelsz|şifre|пароль|пароля|geslo|lozinka|密|口令|パス|비밀|net use|pin|geheimzahl|code|login|log-in|credential|creds|access|acc[eè]s|acces|zugang|anmelde|inlog|identifiant|credencia|credenzia|user|usuario|benutzer|handle|todo|employee|staff|patient|customer|client|member|student|personnel|badge|policy|insurance|national|tax|voter|pan|aadha|record|account|mrn|pesel|steuern|personaln|licen[cs]e|aged?|turn|year/i
const fileEnding = /\.(?:html?|php|jsx?|tsx?|py|rb|go|rs|java|json|ya?ml|md|txt|css|xml|sql|sh|com|org|net|io)$/i

export function* findValuesInSentences(text: string): Work<readonly LabelledRange[]> {
  const ranges: LabelledRange[] = []
  if (!mayHold.test(text)) return ranges
  let matches = 0
  for (const [kind, pattern, counts] of phrases)
    for (const { 0: all, index, ...groups } of text.matchAll(pattern)) {
      if (++matches % matchesOfStep === 0) yield
      const value = (groups[1] ?? groups[2]) as string
      const start = index + all.lastIndexOf(value)
      const end = start + value.length
      const [before, behind] = [text.slice(Math.max(0, index - 64), start), text.slice(end, end + 32)]
      if (counts === undefined || counts({ value, before, behind })) ranges.push({ kind, start, end })
    }
  return ranges
}

function isNoCode({ value, before }: Candidate): boolean {
  return !isNoPassword(value, before.slice(-1)) && !isOtherKey(value, before)
}

/** Words that also name keys of maps, words to look for and slogans: "clave: valor1", "la parola: iphone15". */
const otherKey = /(?<!\p{L})(?:clave|parol[aăe]|hasł[oa])(?!\p{L})[^.\n]{0,60}$/iu

const isOtherKey = (value: string, before: string): boolean =>
  otherKey.test(before) && (plain.test(value) || value.includes("_"))

/** Beside a name a password is known by its letters, digits and signs or cases: "24/7" and "v2" have not all of them. */
const isMixed = (value: string): boolean =>
  /\d/.test(value) &&
  /\p{L}{2}/u.test(value) &&
  (/[^\p{L}\d.]/u.test(value) || /\p{Ll}.*\p{Lu}|\p{Lu}.*\p{Ll}/u.test(value)) &&
  !plain.test(value)

const changes =
  /set|chang|updat|switch|rotat|setz|änder|stell|wechs|cambi|pus[eo]|modifi|remplac|mis(?:e|) |mud|alter|troqu|impost|wijzig|verander|zmien|ustaw|byt|ändr|endr|değiş|změn/i
/** "The password to server01 is …" names what it opens. */
const saysMore = /^["'’”]? (?:is|was|ist|lautet|es|est|é|è)(?!\p{L})/u

/**
 * Whether a password was set to a value that looks chosen. Behind the same words stand "expire", "a stronger one",
 * "12-character" and names of machines.
 */
function isChanged({ value, before, behind }: Candidate): boolean {
  if (!changes.test(before) && !changes.test(behind)) return false
  if (saysMore.test(behind) || isNoPassword(value, '"') || isOtherKey(value, before)) return false
  const letters = value.match(/\p{L}/gu)?.length ?? 0
  const digits = value.match(/\d/g)?.length ?? 0
  const hasSign = /[\p{L}\d][@#$%^&*+=~!?]/u.test(value)
  return (
    letters >= 3 && (hasSign ? digits > 0 || /\p{L}[@#$%^&*+=~]\p{L}/u.test(value) : digits >= 2) && !plain.test(value)
  )
}

/** `12-character`, `90days?`, `server01`. */
const plain = /^(?:\d+-?\p{Ll}+(?:-\p{Ll}+)*|\p{Ll}+-?\d{1,2})[?!]*$/u
