// The numbering plans of all countries, from libphonenumber-js: docs/why/dependencies.md. Loaded when a rule needs them.

/** What they say of a number as it is written. A check takes some 30 µs, so a text may have so many. */
export interface NumberingPlans {
  /** With its calling code. */
  isInternational(written: string): boolean
  /** Without one, in the groups in which some large country writes its numbers. */
  isNational(written: string): boolean
}

/** Countries whose national numbers are known by their form. Their order is that in which they are tried. */
const countries = [
  ...([
    "US",
    "GB",
    "DE",
    "FR",
    "IT",
    "ES",
    "NL",
    "BE",
    "CH",
    "AT",
    "PL",
    "SE",
    "DK",
    "FI",
    "PT",
    "IE",
    "CZ",
    "HU",
  ] as const),
  ...(["AU", "NZ", "IN", "JP", "KR", "CN", "BR", "MX", "ZA", "RU", "TR", "IL"] as const),
]

export async function loadNumberingPlans(): Promise<NumberingPlans> {
  const { parsePhoneNumberFromString: parse } = await import("libphonenumber-js/min")
  return {
    isInternational: (written) => parse(written)?.isValid() === true,
    isNational: (written) => {
      const groups = groupsOf(written)
      return countries.some((country) => {
        const number = parse(written, country)
        return number?.isValid() === true && groupsOf(number.formatNational()) === groups
      })
    },
  }
}

const groupsOf = (written: string): string => (written.match(/\d+/g) ?? []).join(" ")
