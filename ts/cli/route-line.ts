// How a reply was routed, as one line for people. All of it stands in the reply's headers.

/** `hard-work → large (confidence 0.92), 3.4 ms to decide`. */
export function routeLine(headers: Headers): string {
  const read = (name: string): string | undefined => headers.get(name) ?? undefined
  const model = fromHeaderText(read("x-rtr-selected-model"))
  const path = read("x-rtr-response-path")
  if (path === undefined) return "(no routing headers)"
  const answerer = path === "upstream" || path === "looper" ? (model ?? path) : `${path} plugin`
  const confidence = read("x-rtr-selected-confidence")
  const decision = fromHeaderText(read("x-rtr-selected-decision")) ?? "(no decision)"
  const milliseconds = read("x-rtr-routing-latency-ms")
  return [
    `${decision} → ${answerer}`,
    confidence === undefined ? "" : confidenceText(Number(confidence)),
    milliseconds === undefined ? "" : `, ${Number(milliseconds).toFixed(1)} ms to decide`,
  ].join("")
}

/** Nothing for a decision that has no evidence: it has no conditions, or matches by its policy. */
export const confidenceText = (confidence: number): string =>
  confidence === 0 ? "" : ` (confidence ${confidence.toFixed(2)})`

/** Names outside visible ASCII come percent-encoded. */
function fromHeaderText(text: string | undefined): string | undefined {
  if (text === undefined || !/%[0-9A-F]{2}/.test(text)) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
