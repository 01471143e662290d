// Kinds of personal data: the names of the configuration, which of them a rule looks for, and what the labels of models mean in them.

/** What a rule looks for that names no kinds: data that says who somebody is, where to find them, or how to act as them. */
export const privateKinds = [
  "AGE",
  "API_KEY",
  "BIRTH_DATE",
  "CREDIT_CARD",
  "CRYPTO_ADDRESS",
  "EMAIL_ADDRESS",
  "IBAN_CODE",
  "ID",
  "IP_ADDRESS",
  "MAC_ADDRESS",
  "PASSWORD",
  "PERSON",
  "PHONE_NUMBER",
  "STREET_ADDRESS",
  "US_DRIVER_LICENSE",
  "US_SSN",
  "USERNAME",
  "ZIP_CODE",
] as const

/** What many harmless texts have; a rule looks for it where it says so. */
const commonKinds = ["DATE_TIME", "DOMAIN_NAME", "GPE", "NRP", "ORGANIZATION", "TITLE"] as const

/** Every name that a rule may use. */
export const entityKinds: readonly string[] = [...privateKinds, ...commonKinds].toSorted()

/** Kinds with a form, which patterns find and check. What the built-in model says of them does not count. */
export const patternKinds = [
  "API_KEY",
  "CREDIT_CARD",
  "CRYPTO_ADDRESS",
  "DOMAIN_NAME",
  "EMAIL_ADDRESS",
  "IBAN_CODE",
  "IP_ADDRESS",
  "MAC_ADDRESS",
  "PHONE_NUMBER",
  "US_SSN",
] as const

/** The label that models of the v0.3 format give to tokens outside all entities. */
export const noEntity = "NO_PII"

/** Labels whose kind has another name. */
const renamed: ReadonlyMap<string, string> = new Map([
  ["PER", "PERSON"],
  ["LOC", "GPE"],
  ["LOCATION", "GPE"],
  ["ORG", "ORGANIZATION"],
  ["EMAIL", "EMAIL_ADDRESS"],
  ["PHONE", "PHONE_NUMBER"],
  ["SSN", "US_SSN"],
  ["IP", "IP_ADDRESS"],
  ["MAC", "MAC_ADDRESS"],
  ["IBAN", "IBAN_CODE"],
  ["CRYPTO", "CRYPTO_ADDRESS"],
  ["ZIP", "ZIP_CODE"],
  ["URL", "DOMAIN_NAME"],
  ["DRIVER_LICENSE", "US_DRIVER_LICENSE"],
  ["DATE_OF_BIRTH", "BIRTH_DATE"],
  ["DOB", "BIRTH_DATE"],
])

/** The kind that a label means. A label that is not known stays a kind of its own, so that what it marks is not lost. */
export function kindOf(label: string): string {
  const name = label.toUpperCase()
  return renamed.get(name) ?? name
}

/** What a rule says about kinds. */
export interface KindsOfRule {
  readonly pii_types?: readonly string[]
  readonly pii_types_allowed?: readonly string[]
}

/**
 * Whether a rule looks for a kind: for those that it names, or else for private data and labels that nobody knows, without
 * what it allows. A rule of the v0.3 format that allows all private data can only mean the other kinds.
 */
export function wantedKinds({
  pii_types: named,
  pii_types_allowed: listed = [],
}: KindsOfRule): (kind: string) => boolean {
  const allowed = new Set(listed)
  if (named !== undefined) {
    const wanted = new Set(named)
    return (kind) => wanted.has(kind) && !allowed.has(kind)
  }
  const meansOthers = privateOfFormat.every((kind) => allowed.has(kind))
  const passed = new Set<string>(meansOthers ? [...privateKinds, "TITLE"] : commonKinds)
  return (kind) => !passed.has(kind) && !allowed.has(kind)
}

/** Private data that documents of the v0.3 format can name. */
const privateOfFormat: readonly string[] = [
  "CREDIT_CARD",
  "EMAIL_ADDRESS",
  "IBAN_CODE",
  "IP_ADDRESS",
  "PERSON",
  "PHONE_NUMBER",
  "STREET_ADDRESS",
  "US_DRIVER_LICENSE",
  "US_SSN",
]
