// Values of their own that operators do not want to be told of: the name of their assistant, their mailboxes, the address of their shop.

/** Whether a value that was found is one of a list. Of addresses parts count as well, because a text may give a street without its town. */
export function allowsValue(values: readonly string[] = []): (kind: string, value: string) => boolean {
  const allowed = values.map(plain)
  return (kind, value) => {
    const found = plain(value)
    return allowed.some((each) => each === found || (kind === "STREET_ADDRESS" && ` ${each} `.includes(` ${found} `)))
  }
}

/** Words alone: signs, line ends and capitals are written in many ways. */
const plain = (value: string): string =>
  value
    .normalize("NFC")
    .toLowerCase()
    .replace(/[\s,;]+/gu, " ")
    .trim()
