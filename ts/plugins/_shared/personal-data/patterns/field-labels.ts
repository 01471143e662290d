// What the label of a field says that its value is: in forms, tables, code and lists.

import type { TextRange } from "../../../../kernel/index.ts"
import { isRole } from "../service-accounts.ts"
import { dateForm } from "./birth-date.ts"
import { goesOnAsCode, isAbbreviation, isFieldName, isTypeName, isTypeOfName } from "./code-names.ts"
import { isCode, isNoPassword } from "./secrets/secret-value.ts"

/** Labels by kind: in lower case, one space between words, without what `normalized` takes off. */
const labels: readonly (readonly [kind: string, labels: string])[] = [
  [
    "PASSWORD",
    "password|passwd|passphrase|passcode|pwd|pw|passwort|kennwort|contraseña|mot de passe|mdp|wachtwoord|senha|palavra passe|hasło|heslo|lösenord|adgangskode|passord|salasana|jelszó|şifre|пароль|wifi password|wi fi password|wlan passwort|密码|密碼|パスワード|비밀번호",
  ],
  [
    "USERNAME",
    "username|user name|user|login|login name|handle|account name|benutzername|usuario|identifiant|gebruikersnaam|nom d'utilisateur|用户名|用戶名",
  ],
  [
    "ID",
    "employee|staff|patient|customer|client|member|membership|student|personnel|badge|policy|insurance|insurance policy|passport|national|tax|vat|voter|pan|pan card|aadhaar|aadhar|medical record|account|acct|bank account|social insurance|health insurance|mrn|pesel|dni|nif|bsn|curp|cpf|steuernummer|steuer|personal|personalausweis|ausweis|reisepass|matricule|身份证|護照|护照",
  ],
  [
    "US_DRIVER_LICENSE",
    "driver license|drivers license|driver's license|driving license|driver licence|drivers licence|driver's licence|driving licence|führerschein",
  ],
  ["US_SSN", "ssn|social security"],
  ["AGE", "age|alter|edad|âge|età|idade|leeftijd|年龄|年齡"],
  ["ZIP_CODE", "zip|zip code|postal code|postcode|post code|plz|postleitzahl|cep|código postal|code postal"],
  [
    "BIRTH_DATE",
    "birth date|birthdate|birthday|date of birth|dob|geburtsdatum|geburtstag|geboren|geboren am|geb|geboortedatum|födelsedatum|fødselsdato|syntymäaika|fecha de nacimiento|fecha nacimiento|date de naissance|né le|née le|data di nascita|nato il|nata il|data de nascimento|data nascimento|data urodzenia|datum narození|data nașterii|doğum tarihi|дата рождения|ημερομηνία γέννησης|出生日期|出生年月日|生年月日|生日|생년월일",
  ],
  [
    "PHONE_NUMBER",
    "phone|phone number|telephone|telephone number|tel|mobile number|mobile phone|cell phone|cell number|contact number|work phone|home phone|telefon|telefonnummer|handynummer|mobilnummer|teléfono|telefono|cellulare|téléphone|telefone|telemóvel|telefoon|telefoonnummer|电话|手机|電話|携帯|전화번호",
  ],
  [
    "PERSON",
    "first name|last name|surname|forename|given name|family name|full name|maiden name|patient name|customer name|employee name|vorname|nachname|prénom|apellido|apellidos|cognome|achternaam|voornaam|姓名",
  ],
  [
    "STREET_ADDRESS",
    "address|street|street address|home address|billing address|shipping address|postal address|adresse|anschrift|straße|strasse|dirección|indirizzo|住址",
  ],
]

const kinds: ReadonlyMap<string, string> = new Map(
  labels.flatMap(([kind, all]) => all.split("|").map((label) => [label, kind] as const)),
)
/** Of these the label alone is a word of any table; with "id" or "number" it says whose number. */
const needsNumber: ReadonlySet<string> = new Set(
  "employee staff patient customer client member membership student personnel badge policy insurance national tax voter account personal".split(
    " ",
  ),
)

/** The kind of a field's value; undefined for a label that says nothing of the sort. */
export function kindOfField(label: string): string | undefined {
  const words = normalized(label)
  const bare = words.replace(/ (?:id|ids|number|numbers|no|nr|num|code|#)$/, "")
  if (bare === words && needsNumber.has(bare)) return undefined
  return kinds.get(words) ?? kinds.get(bare) ?? kinds.get(words.replace(/ ?(?:nummer|nr)$/, ""))
}

/** `zipCode`, `zip_code` and `Zip code:` are one label. */
function normalized(label: string): string {
  return label
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .replace(/[\s_.*"'`-]+/g, (run) => (run === "'" ? "'" : " "))
    .trim()
}

/** What documentation writes in the place of a value. */
const placeholder =
  /^(?:[x*.•#?-]+|n\/?a|see|siehe|none|null|nil|undefined|true|false|string|number|text|integer|varchar.*|your.*|\W?[$%{[(<].*|(?:my|the|a)?[_ -]?(?:pass(?:word|wd)?|user(?:name)?|login|name|secret|token|example|test|admin|root|changeme|required|optional|unknown|tbd))$/i

/** The part of a field that is its value. Undefined where it does not look like one of the kind. */
export function valueOfField(kind: string, text: string, { start, end }: TextRange): TextRange | undefined {
  const written = text.slice(start, end)
  const first = written.search(/[^\s"'`]/)
  if (first === -1) return undefined
  const value = written.slice(first).replace(/[\s"'`]+$/, "")
  const looksRight = forms.get(kind)
  if (looksRight === undefined || !looksRight.test(value) || placeholder.test(value)) return undefined
  if (kind === "PASSWORD" && isNoPassword(value, written.charAt(first - 1))) return undefined
  if (goesOnAsCode(text.slice(start + first + value.length, end + 2)) && namesOfCode.has(kind)) return undefined
  if (kind === "USERNAME" && (isNameInCode(value) || isRole(value) || isOfUnion(text, end))) return undefined
  // `address = address.slice(0, end)`.
  if (kind === "STREET_ADDRESS" && isCode(value)) return undefined
  if ((kind === "ID" && isTypeName(value)) || (kind === "PERSON" && isTypeOfName(value))) return undefined
  return { start: start + first, end: start + first + value.length }
}

/** Kinds whose values may be words of code. */
const namesOfCode: ReadonlySet<string> = new Set(["USERNAME", "PERSON"])

/** `login: "phone" | "mail"` says what a value may be. */
const isOfUnion = (text: string, end: number): boolean => /^["']?\s?\|\s?["']/.test(text.slice(end, end + 4))

/** What programs call that in which values come. */
const holder =
  /^(?:process\.env|os\.environ|import\.meta|this|self|args?|argv|kwargs|opts|options|cfg|conf|config|settings|env|environment|secrets|credentials|creds|inputs?|params|props|state|session|req|request|res|response|ctx|context|body|payload|data|form|query|row|record|result|obj|object|event|github|vars?|values)\./i

/** Whether a name is one of code: a constant, a type, a field, or a member that has the name of a field, as `config.user`. People are called `lily.ross`. */
export function isNameInCode(value: string): boolean {
  if (!/\p{Ll}/u.test(value) || holder.test(value)) return true
  if (isTypeName(value) || isFieldName(value) || isAbbreviation(value) || kindOfField(value) !== undefined) return true
  const last = value.slice(value.lastIndexOf(".") + 1)
  return last !== value && kindOfField(last) !== undefined
}

const forms: ReadonlyMap<string, RegExp> = new Map([
  ["PASSWORD", /^(?=\S*[\d!@#$%^&*?_-]|\S*\p{Ll}\S*\p{Lu})\S{4,64}$/u],
  ["USERNAME", /^(?=\S*[\p{Ll}])[\p{L}\d._@-]{3,40}$/u],
  ["ID", /^(?=.*\d.*\d.*\d)[\p{L}\d][\p{L}\d/._#-]*(?: [\d-]+){0,6}$/u],
  ["US_DRIVER_LICENSE", /^(?=.*\d.*\d.*\d)[\p{L}\d][\p{L}\d-]*(?: [\d-]+){0,4}$/u],
  ["US_SSN", /^\d{3}[- ]?\d{2}[- ]?\d{4}$/],
  ["AGE", /^(?:[1-9]\d?|1[01]\d)$/],
  ["ZIP_CODE", /^(?=.*\d)[A-Z\d]{2,6}(?:[ -][A-Z\d]{2,4})?$/i],
  ["BIRTH_DATE", new RegExp(`^(?:${dateForm}|\\d{1,4}[-/.]\\d{1,2}[-/.]\\d{1,4})$`, "iu")],
  [
    "PHONE_NUMBER",
    /^(?!(?:19|20)\d\d-\d\d-\d\d$|(\d)\1*$)(?=(?:\D{0,3}\d){7,20}\D*$)\+?\(?\d[\d ()./-]{5,18}\d(?: ?(?:x|ext\.?) ?\d{1,6})?$/i,
  ],
  ["PERSON", /^\p{Lu}[\p{L}'’-]*\.?(?: [\p{L}'’-]+\.?){0,4}$/u],
  ["STREET_ADDRESS", /^(?=.*\p{L}{3})(?=.*\d).{6,120}$/u],
])
