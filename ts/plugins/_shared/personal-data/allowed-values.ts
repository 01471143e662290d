// Values that an operator allows: the name of the assistant, mailboxes and addresses of the company.

/** Whether a value that was found is one of a list. A part of an address counts as well: a text may give a street without its town. */
export function allowsValue(values: readonly string[] = []): (kind: string, value: string) => boolean {
  if (values.length === 0) return () => false
  const allowed = values.map(plain)
  return (kind, value) => {
    const found = plain(value)
    return allowed.some((each) => each === found || (kind === "STREET_ADDRESS" && ` ${each} `.includes(` ${found} `)))
  }
}

/** Commas, line ends and capitals are written in many ways. */
const plain = (value: string): string =>
  value
    .normalize("NFC")
    .toLowerCase()
    .replace(/[\s,;]+/gu, " ")
    .trim()
