import { type Backend, defineProvider, type ProviderBackend } from "rtr"
import { backend, providerContract } from "rtr/testing"
import { expect, test } from "vitest"
import { failuresOf } from "../fakes/contract.ts"

type Request = ReturnType<ProviderBackend["toRequest"]>
type Input = Parameters<ProviderBackend["toRequest"]>[0]

function build(given: Backend, { body, stream, headers }: Input): Request {
  const header = (given.authHeader ?? "authorization").toLowerCase()
  const extra = Object.fromEntries(
    Object.entries(given.extraHeaders).map(([name, value]) => [name.toLowerCase(), value]),
  )
  return {
    method: "POST",
    url: given.chatPath === undefined ? `${given.baseUrl}/chat` : new URL(given.chatPath, given.baseUrl).href,
    headers: {
      ...headers,
      "content-type": "application/json",
      accept: stream ? "text/event-stream" : "application/json",
      ...extra,
      ...(given.apiKey !== undefined && { [header]: `${given.authPrefix ?? "Bearer"} ${given.apiKey}` }),
    },
    body: JSON.stringify(body),
  }
}

/** A provider whose requests are changed before they are given out. */
const changing = (change: (request: Request, given: Backend, input: Input) => Partial<Request>) => ({
  setup: (given: Backend) => ({
    toRequest: (input: Input) => {
      const request = build(given, input)
      return { ...request, ...change(request, given, input) }
    },
  }),
})
const failures = (changes: object): Promise<readonly string[]> =>
  failuresOf(
    providerContract(
      defineProvider({ about: "posts", dialect: "chat_completions", ...changing(() => ({})), ...changes } as never),
    ),
  )

const without = (request: Request, name: string): Partial<Request> => ({
  headers: Object.fromEntries(Object.entries(request.headers).filter(([key]) => key !== name)),
})
const withBody = (request: Request, change: (body: Record<string, unknown>) => object): Partial<Request> => ({
  body: JSON.stringify(change(JSON.parse(request.body ?? "") as Record<string, unknown>)),
})

const says = "says what it does in one line"
const posts = "posts JSON below the base URL"
const sends = "sends the body as it was given"
const key = "sends the key in one header and nowhere else"
const follows = "follows the backend's own settings"
const apart = "keeps the requests of a backend apart"
const asks = "asks for a stream only when the client does"

test("a header name as it stands in the document is refused with what was expected and what came", async () => {
  const written = changing((request, { extraHeaders }) => ({
    headers: { ...without(request, "x-extra").headers, ...extraHeaders },
  }))
  const cases = providerContract(defineProvider({ about: "posts", dialect: "chat_completions", ...written } as never))
  await expect(async () => cases.find(({ name }) => name === follows)?.run()).rejects.toThrow(
    'Expected the header "x-extra: 1", with its name in lower case, of extra_headers X-Extra: 1; got "X-Extra: 1"',
  )
})

test("a provider that keeps the contract passes", async () => expect(await failures({})).toEqual([]))

const broken: readonly (readonly [string, object, readonly string[]])[] = [
  ["that is of another kind", { kind: "route" }, [says]],
  ["that does not say what it does", { about: "" }, [says]],
  ["that says it in two lines", { about: "a\nb" }, [says]],
  ["that does not post", changing(() => ({ method: "GET" })), [posts]],
  [
    "that calls another host",
    changing(({ url }) => ({ url: url.replace("host.example", "other.example") })),
    [posts, follows],
  ],
  ["that calls above the base URL", changing(({ url }) => ({ url: url.replace("/base/", "/") })), [posts]],
  ["that sends no content type", changing((request) => without(request, "content-type")), [posts]],
  ["that drops the pipeline's headers", changing((request) => without(request, "x-request-id")), [posts]],
  [
    "that sends another model",
    changing((request) => withBody(request, (body) => ({ ...body, model: "MoM" }))),
    [sends],
  ],
  ["of no dialect", { dialect: "" }, [says]],
  [
    "that keeps the headers of the request before",
    {
      setup: (given: Backend) => {
        const kept: Record<string, string> = {}
        return {
          toRequest: (input: Input) => {
            Object.assign(kept, input.headers)
            const request = build(given, input)
            return { ...request, headers: { ...kept, ...request.headers } }
          },
        }
      },
    },
    [apart],
  ],
  [
    "that drops a field",
    changing((request) => withBody(request, (body) => ({ ...body, x_unknown: undefined }))),
    [sends],
  ],
  ["that adds a field", changing((request) => withBody(request, (body) => ({ ...body, n: 1 }))), [sends]],
  ["that sends no key", changing((request) => without(request, "authorization")), [key]],
  [
    "that sends the key twice",
    changing(({ headers }, { apiKey }) => ({ headers: { ...headers, "x-copy": apiKey ?? "" } })),
    [key],
  ],
  [
    "that sends the key in the URL",
    changing(({ url }, { apiKey }) => ({ url: `${url}?key=${apiKey}` })),
    [key, follows],
  ],
  [
    "that sends the key in the body",
    changing((request, { apiKey }) => withBody(request, (body) => ({ ...body, apiKey }))),
    [sends, key],
  ],
  [
    "that sends a key header without a key",
    changing(({ headers }, { apiKey }) =>
      apiKey === undefined ? { headers: { ...headers, authorization: "Bearer" } } : {},
    ),
    [key],
  ],
  ["that ignores chat_path", changing((_, { baseUrl }) => ({ url: `${baseUrl}/chat` })), [follows]],
  ["that ignores extra headers", changing((request) => without(request, "x-extra")), [follows]],
  [
    "that ignores the backend's own key header",
    changing((request, { apiKey }) => ({
      headers: {
        ...without(request, "x-key").headers,
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      },
    })),
    [follows],
  ],
  [
    "that always accepts JSON",
    changing(({ headers }) => ({ headers: { ...headers, accept: "application/json" } })),
    [asks],
  ],
  [
    "that always accepts streams",
    changing(({ headers }) => ({ headers: { ...headers, accept: "text/event-stream" } })),
    [asks],
  ],
  [
    "that changes the request in place",
    {
      setup: (given: Backend) => ({
        toRequest: (input: Input) => {
          ;(input.body as { model: string }).model = "other"
          return build(given, input)
        },
      }),
    },
    [posts, sends, key, follows, asks, apart],
  ],
]

test("every broken provider is caught", async () => {
  const found = await Promise.all(broken.map(async ([name, changes]) => [name, await failures(changes)]))
  expect(found).toEqual(broken.map(([name, , failed]) => [name, failed]))
})

test("backend has nothing special, and takes changes", () => {
  expect(backend({ apiKey: undefined, name: "b" })).toEqual({
    name: "b",
    baseUrl: "https://host.example/base",
    chatPath: undefined,
    apiVersion: undefined,
    authHeader: undefined,
    authPrefix: undefined,
    apiKey: undefined,
    extraHeaders: {},
  })
})
