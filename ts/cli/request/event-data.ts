// The events of a streamed reply as values.

/** The JSON of each event, up to the end mark. Throws an `RtrError` for an event that is none, and where the stream breaks. */
export async function* eventData(body: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  const { createEventSplitter } = await import("rtr")
  const splitter = createEventSplitter()
  for await (const bytes of body) {
    for (const { data } of splitter.push(bytes)?.events ?? []) {
      if (data === "[DONE]") return
      if (data !== undefined && data !== "") yield await parse(data)
    }
  }
}

async function parse(data: string): Promise<unknown> {
  try {
    return JSON.parse(data) as unknown
  } catch (cause) {
    const { RtrError } = await import("rtr")
    throw new RtrError("upstream_error", "An event of the stream is not JSON", { cause })
  }
}
