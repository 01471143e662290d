// A request as bytes, with what its reply must hold.

export interface PreparedRequest {
  readonly bytes: Buffer
  /** Texts that every right reply to this request has in its body, each within one event when streamed. */
  readonly expected: readonly Buffer[]
}

export interface RequestParts {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: object
  readonly expected: readonly string[]
}

/** A POST of JSON over a kept connection. */
export function prepareRequest({ path, headers = {}, body, expected }: RequestParts): PreparedRequest {
  const payload = Buffer.from(JSON.stringify(body))
  const head = Object.entries({
    host: "localhost",
    "content-type": "application/json",
    ...headers,
    "content-length": String(payload.length),
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return {
    bytes: Buffer.concat([Buffer.from(`POST ${path} HTTP/1.1\r\n${head.join("")}\r\n`), payload]),
    expected: expected.map((text) => Buffer.from(text)),
  }
}
