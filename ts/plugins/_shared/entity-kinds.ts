// Kinds of personal data: the names of the configuration, and what the labels of models mean in them.

/** Names that `pii_types_allowed` may have. */
export const entityKinds: readonly string[] = [
  "AGE",
  "CREDIT_CARD",
  "DATE_TIME",
  "DOMAIN_NAME",
  "EMAIL_ADDRESS",
  "GPE",
  "IBAN_CODE",
  "ID",
  "IP_ADDRESS",
  "NRP",
  "ORGANIZATION",
  "PASSWORD",
  "PERSON",
  "PHONE_NUMBER",
  "STREET_ADDRESS",
  "TITLE",
  "US_DRIVER_LICENSE",
  "US_SSN",
  "USERNAME",
  "ZIP_CODE",
]

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
  ["IBAN", "IBAN_CODE"],
  ["ZIP", "ZIP_CODE"],
  ["URL", "DOMAIN_NAME"],
  ["DRIVER_LICENSE", "US_DRIVER_LICENSE"],
])

/** The kind that a label means. A label that is not known stays a kind of its own, so that what it marks is not lost. */
export function kindOf(label: string): string {
  const name = label.toUpperCase()
  return renamed.get(name) ?? name
}
