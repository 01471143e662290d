// What every client has to be able to do over every backend. A client is described by what it does; the tests are the same for all.

import { expect, test } from "vitest"
import { startRouter, type TestRouter, waitFor } from "../_processes.ts"
import { modelsOn, type ScriptedModel, startScriptedModel } from "../_scripted-model.ts"

/** One way to use a client: its API, class or package. Each call asks a model, and throws what the client throws. */
export interface Client {
  chat(model: string, words: string): Promise<string>
  /** The pieces of the text. */
  stream(model: string, words: string, signal?: AbortSignal): AsyncIterable<string>
  /** Asks with the tool `weather` of a `city`, plays the whole loop and returns the last text. */
  tools(model: string, words: string, weather: (city: string) => string): Promise<string>
  /** Asks for an object with a `city`. */
  structured(model: string): Promise<unknown>
  /** Asks about a PNG image. */
  image(model: string, base64: string): Promise<string>
}

export interface Connection {
  /** Origin of the router. */
  readonly url: string
  readonly apiKey: string
}

export interface ClientFamily {
  /** The ways of use by their names. They make no retries. */
  readonly open: (connection: Connection) => Readonly<Record<string, Client>>
  /** What shows of an error: at least its class and its status. */
  readonly errorOf: (error: unknown) => string
  /** What `errorOf` says of a status, and of a stream that broke. */
  readonly errors: Readonly<Record<400 | 401 | 404 | 429 | 500 | 502 | "broken", string>>
  /** The header `retry-after` of a reply with an error. */
  readonly retryAfterOf: (error: unknown) => string | null | undefined
}

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const answer = "No, 91 is 7 times 13."
const firstPiece = "No, 91 is 7"
const backends = ["chat_completions", "messages", "responses"] as const
const apiKey = "listener-key"

export interface Setting {
  readonly model: ScriptedModel
  readonly router: TestRouter
}

/** A router that asks for a key, before a backend of each protocol. */
export async function startSetting(more: object = {}): Promise<Setting> {
  const model = await startScriptedModel()
  const router = await startRouter({
    listeners: [{ name: "test", address: "127.0.0.1", port: 0, api_keys: [apiKey] }],
    providers: { defaults: { model: "chat_completions" }, models: modelsOn(model) },
    ...more,
  })
  return { model, router }
}

export const connectionOf = ({ router }: Setting, key: string = apiKey): Connection => ({
  url: router.url,
  apiKey: key,
})

/** Defines the tests of a family. `setting` is read when they run. */
export function testClients(setting: () => Setting, { open, errorOf, errors, retryAfterOf }: ClientFamily): void {
  /** Does something with each way of use and each backend, and says which one it was when that fails. */
  const withEach = async (use: (client: Client, backend: string, path: string) => Promise<void>): Promise<void> => {
    for (const [name, client] of Object.entries(open(connectionOf(setting()))))
      for (const backend of backends) {
        const path = `${name} over ${backend}`
        try {
          await use(client, backend, path)
        } catch (error) {
          throw new Error(`${path}: ${String(error)}`, { cause: error })
        }
      }
  }
  const caught = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      (value) => `no error but ${JSON.stringify(value)}`,
      (error: unknown) => error,
    )

  test("chats", () =>
    withEach(async (client, backend, path) => {
      expect([path, await client.chat(backend, "Is 91 prime?")]).toEqual([path, answer])
      expect([path, setting().model.asked.at(-1)?.protocol]).toEqual([path, backend])
    }))

  test("has the first piece of a stream before the backend has sent the rest", () =>
    withEach(async (client, backend, path) => {
      const pieces: string[] = []
      for await (const piece of client.stream(backend, "hold")) {
        // Nothing more can come before this.
        if (pieces.length === 0) setting().model.release()
        pieces.push(piece)
      }
      expect([path, pieces[0], pieces.join("")]).toEqual([path, firstPiece, answer])
    }))

  test("plays a loop of tools to its end, also with a model that thinks", () =>
    withEach(async (client, backend, path) => {
      for (const words of ["How is the weather in Rome and Oslo?", "think: the weather in Rome and Oslo?"]) {
        const cities: string[] = []
        const said = await client.tools(backend, words, (city) => {
          cities.push(city)
          return `sunny in ${city}`
        })
        expect([path, said, cities]).toEqual([path, "It is sunny in Rome and sunny in Oslo.", ["Rome", "Oslo"]])
        const { turns, tools } = setting().model.asked.at(-1) ?? {}
        expect([path, tools?.map(({ name }) => name)]).toEqual([path, ["weather"]])
        expect([path, turns?.map(({ role }) => role)]).toEqual([path, ["user", "assistant", "tool"]])
      }
    }))

  test("gets an object of a schema", () =>
    withEach(async (client, backend, path) => {
      expect([path, await client.structured(backend)]).toEqual([path, { city: "Rome" }])
    }))

  test("sends an image", () =>
    withEach(async (client, backend, path) => {
      expect([path, await client.image(backend, png)]).toEqual([path, "I see a picture."])
      const parts = setting().model.asked.at(-1)?.turns.at(-1)?.parts ?? []
      expect([path, parts.filter(({ kind }) => kind === "image")]).toEqual([
        path,
        [{ kind: "image", url: `data:image/png;base64,${png}` }],
      ])
    }))

  test("aborts a stream, and the backend hears of it", () =>
    withEach(async (client, backend) => {
      const { model } = setting()
      const before = model.left()
      const controller = new AbortController()
      await caught(
        (async () => {
          for await (const _ of client.stream(backend, "hold", controller.signal)) controller.abort()
        })(),
      )
      await waitFor(() => model.left() > before)
    }))

  test("throws its own errors", async () => {
    await withEach(async (client, backend, path) => {
      for (const status of [400, 429, 500] as const)
        for (const way of ["chat", "stream"] as const) {
          const words = `status ${status} retry-after 7`
          const error = await caught(
            way === "chat" ? client.chat(backend, words) : textOf(client.stream(backend, words)),
          )
          expect([path, way, errorOf(error), retryAfterOf(error)]).toEqual([path, way, errors[status], "7"])
        }
      expect([path, errorOf(await caught(client.chat("nope", "hi")))]).toEqual([path, errors[404]])
      // The backend refuses the router's own key, which is no fault of the client's.
      expect([path, errorOf(await caught(client.chat(backend, "status 401")))]).toEqual([path, errors[502]])
    })
    for (const [name, client] of Object.entries(open(connectionOf(setting(), "wrong"))))
      expect([name, errorOf(await caught(client.chat("messages", "hi")))]).toEqual([name, errors[401]])
  })

  test("throws for a stream that breaks, behind all that came", () =>
    withEach(async (client, backend, path) => {
      for (const words of ["break", "fail"]) {
        let text = ""
        const error = await caught(
          (async () => {
            for await (const piece of client.stream(backend, words)) text += piece
          })(),
        )
        expect([path, words, text, errorOf(error)]).toEqual([path, words, firstPiece, errors.broken])
      }
    }))
}

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = ""
  for await (const piece of pieces) text += piece
  return text
}
