// Addresses that people write down for a service: of http or https, with nothing in them that is a secret or gets lost.

/** The URL, or undefined for a text that is none or that has a user, a query, a fragment or spaces. A path is fine. */
export function readPlainUrl(text: string): URL | undefined {
  // An empty query or fragment leaves its mark in the text only, and the parser drops spaces at both ends.
  if (/[\s?#]/.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  return /^https?:$/.test(url.protocol) && url.username === "" && url.password === "" ? url : undefined
}
