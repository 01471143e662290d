// Names in HTTP headers.

/** Names are free text in the configuration, but a header holds only visible ASCII; any other name is percent-encoded. */
export function toHeaderText(name: string): string {
  return /^[\x20-\x7e]*$/.test(name) ? name : encodeURIComponent(name.toWellFormed())
}
