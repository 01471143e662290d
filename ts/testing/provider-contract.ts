// What every provider must do.

import type { Backend, ProviderModule, WireObject } from "../kernel/index.ts"
import { type ContractCase, contractCase, deepFreeze, expectThat } from "./case.ts"

const body: WireObject = deepFreeze({
  model: "upstream-1",
  messages: [{ role: "user", content: "hello" }],
  tools: [{ type: "function", function: { name: "f" } }],
  x_unknown: [1, { deep: true }],
})

/** A backend with nothing special. */
export function backend(changes: Partial<Backend> = {}): Backend {
  return {
    name: "primary",
    baseUrl: "https://host.example/base",
    chatPath: undefined,
    apiVersion: undefined,
    authHeader: undefined,
    authPrefix: undefined,
    apiKey: "secret-key",
    extraHeaders: {},
    ...changes,
  }
}

export interface ProviderContractOptions {
  /** Content type of the dialect's streams; event streams when left out. */
  readonly streamType?: string
}

export function providerContract(
  module: ProviderModule,
  { streamType = "text/event-stream" }: ProviderContractOptions = {},
): readonly ContractCase[] {
  const build = (changes: Partial<Backend> = {}, stream = false) =>
    module.setup(backend(changes)).toRequest({ body, stream, headers: deepFreeze({ "x-request-id": "req-1" }) })
  return [
    contractCase("says what it does in one line", () => {
      expectThat(module.kind === "provider", "a module made by defineProvider")
      expectThat(module.about.trim() !== "" && !module.about.includes("\n"), "about to be one line")
      expectThat(/^[a-z][a-z0-9_]*$/.test(module.dialect), "dialect to be the id of a dialect")
    }),
    contractCase("posts JSON below the base URL", () => {
      const { method, url, headers } = build()
      expectThat(method === "POST", "POST")
      expectThat(url.startsWith("https://host.example/base/"), `a URL below the base URL, got ${url}`)
      expectThat(headers["content-type"] === "application/json", "a JSON content type")
      expectThat(headers["x-request-id"] === "req-1", "the pipeline's headers to be sent")
    }),
    contractCase("sends the body as it was given", () => {
      const sent = build().body
      expectThat(
        typeof sent === "string" && sent === JSON.stringify(body),
        "the dialect's body, every field and no other",
      )
    }),
    contractCase("sends the key in one header and nowhere else", () => {
      const { url, headers, body: sent } = build()
      const holders = Object.values(headers).filter((value) => value.includes("secret-key"))
      expectThat(holders.length === 1, "exactly one header with the key")
      expectThat(!url.includes("secret-key") && sent?.includes("secret-key") === false, "no key in the URL or the body")
      const keyless = JSON.stringify(build({ apiKey: undefined }))
      expectThat(!/authorization|api-key/i.test(keyless), "no key header without a key")
    }),
    contractCase("follows the backend's own settings", () => {
      const { url } = build({ chatPath: "/other/path" })
      expectThat(
        url === "https://host.example/other/path",
        `chat_path to replace the path: https://host.example/other/path, got ${url}`,
      )
      expectHeader(build({ extraHeaders: { "X-Extra": "1" } }).headers, "x-extra", "1", "extra_headers X-Extra: 1")
      const custom = build({ authHeader: "X-Key", authPrefix: "Token" }).headers
      expectHeader(custom, "x-key", "Token secret-key", "auth_header X-Key and auth_prefix Token")
    }),
    contractCase("asks for a stream only when the client does", () => {
      expectThat(build({}, true).headers["accept"] === streamType, `a stream of ${streamType} to be accepted`)
      expectThat(build({}, false).headers["accept"] === "application/json", "JSON to be accepted")
    }),
    contractCase("keeps the requests of a backend apart", () => {
      const ready = module.setup(backend())
      const input = { body, stream: false, headers: {} }
      const first = ready.toRequest(input)
      ready.toRequest({ ...input, stream: true, headers: { "x-own": "1" } })
      expectThat(
        JSON.stringify(first) === JSON.stringify(ready.toRequest(input)),
        "a request to be the same after another one",
      )
    }),
  ]
}

/** Names of headers are lower case, so that a setting replaces what the provider itself sends. */
function expectHeader(headers: Readonly<Record<string, string>>, name: string, value: string, from: string): void {
  const sent = Object.entries(headers)
    .filter(([each]) => each.toLowerCase() === name)
    .map(([each, text]) => `${each}: ${text}`)
  expectThat(
    headers[name] === value,
    `the header "${name}: ${value}", with its name in lower case, of ${from}; got ${sent.length === 0 ? "no such header" : JSON.stringify(sent.join(", "))}`,
  )
}
