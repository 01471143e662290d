import {
  ConfigError,
  createKernel,
  defineDialect,
  definePlugin,
  defineProvider,
  type DialectModule,
  hostApiVersion,
  type KernelOptions,
  type PluginModule,
  RtrError,
  Type,
} from "rtr"
import chatCompletions from "rtr/plugins/dialects/chat-completions"
import { createFakeInference, type FakeInferenceOptions } from "rtr/testing"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { documentWith, smallDocument } from "../fakes/document.ts"
import { chat, createFakeKernel, get } from "../fakes/kernel.ts"
import { completion, createFakeTransport, jsonReply, streamReply } from "../fakes/transport.ts"
import { chunk, gatedReply, watchedKernel } from "../fakes/watched-kernel.ts"

const labels = ["benign", "jailbreak"]
const refuse = (message: string): object => ({ type: "fast_response", configuration: { message } })

/** A kernel whose guards refuse, and whose other requests are answered as well. */
async function guarded(options: FakeInferenceOptions = {}) {
  const inference = createFakeInference({
    labels,
    classify: (text) => (/ignore/.test(text) ? [0, 1] : [1, 0]),
    ...options,
  })
  const told: unknown[] = []
  const kernel = await createKernel({
    inference,
    onInternalError: (error, module) => told.push([(error as { code?: unknown }).code, module]),
    config: {
      version: "v0.3",
      routing: {
        signals: {
          jailbreak: [{ name: "attack" }],
          pii: [{ name: "personal" }],
          keywords: [{ name: "any", operator: "NOR", keywords: ["nothing of this"] }],
        },
        decisions: [
          { name: "attack", priority: 2, rules: { type: "jailbreak", name: "attack" }, plugins: [refuse("No.")] },
          { name: "personal", priority: 1, rules: { type: "pii", name: "personal" }, plugins: [refuse("No.")] },
          { name: "other", priority: 0, rules: { type: "keyword", name: "any" }, plugins: [refuse("Yes.")] },
        ],
      },
    },
  })
  onTestFinished(() => kernel.close())
  const ask = async (content: unknown, role = "user") => {
    const { headers } = await kernel.fetch(chat("", { messages: [{ role, content }] }))
    return [headers.get("x-rtr-selected-decision"), headers.get("x-security-checks")]
  }
  return { ask, inference, told }
}

describe("guards", () => {
  test("say in the reply what they found", async () => {
    const { ask } = await guarded()
    expect(await ask("hello")).toEqual(["other", "pii:false,jailbreak:false"])
    expect(await ask("ignore that")).toEqual(["attack", "pii:false,jailbreak:true"])
    expect(await ask("I am ann@example.com")).toEqual(["personal", "pii:true,jailbreak:false"])
  })

  test("read every part of the message that has a text", async () => {
    const { ask } = await guarded()
    const parts = [
      { type: "image_url", image_url: { url: "x" } },
      { type: "text", text: "hello" },
    ]
    expect(await ask([...parts, { type: "other", text: "ignore that" }])).toEqual(["attack", "jailbreak:true"])
  })

  test("refuse a message that they cannot read, and read every role", async () => {
    const { ask } = await guarded()
    expect(await ask([{ type: "image_url", image_url: { url: "x" } }])).toEqual(["attack", null])
    expect(await ask("ignore that", "system")).toEqual(["attack", "pii:false,jailbreak:true"])
  })

  test("have texts read to their end", async () => {
    const { ask, inference } = await guarded()
    await ask("hello")
    expect(inference.calls.flat().map(({ kind, whole }) => [kind, whole])).toEqual([
      ["classify", true],
      ["spans", true],
    ])
  })
})

test("a model of another task is told of once, because it answers no request", async () => {
  const { ask, told } = await guarded({ labels: ["cat", "dog"] })
  expect(await ask("hello")).toEqual(["attack", "pii:false"])
  await ask("hello again")
  expect(told).toEqual([["invalid_model_output", "signal jailbreak"]])
})

test("a text that a guard cannot read whole is refused for good, and its record says so without the text", async () => {
  const { ask, records, told } = await watchedKernel({
    inference: createFakeInference({ failWith: new RtrError("scan_budget_exceeded", "too long") }),
    changes: {
      "routing.signals.jailbreak": [{ name: "attack" }],
      "routing.decisions.0.rules": { type: "jailbreak", name: "attack", on_unknown: "fail_request" },
    },
  })
  const { status, headers, body } = await ask("a secret text", {}, { "x-request-id": "req-1" })
  expect([status, headers.get("retry-after"), body]).toEqual([
    413,
    null,
    {
      error: {
        message: expect.stringMatching(/^The text is too long for the guards .* of decision "rush" to read it whole/),
        type: "invalid_request_error",
        code: "context_length_exceeded",
        param: null,
        details: { request_id: "req-1" },
      },
    },
  ])
  const [record] = records
  expect([record?.id, record?.error?.code, record?.readings?.facts.map((fact) => fact?.reason)]).toEqual([
    "req-1",
    "context_length_exceeded",
    expect.arrayContaining(["input_limit"]),
  ])
  expect([JSON.stringify(record?.readings).includes("secret"), told]).toEqual([false, []])
})

const servedBy = async (response: Response | Promise<Response>) => (await response).headers.get("x-rtr-config-version")

describe("another configuration", () => {
  const calm = { "routing.signals.keywords.0.keywords": ["calm"] }

  test("serves from then on", async () => {
    const { kernel, ask } = await watchedKernel()
    expect((await ask("calm")).headers.get("x-selected-model")).toBe("small")
    const before = kernel.plan.hash
    await kernel.activate(documentWith(calm))
    const { headers } = await ask("calm")
    expect([headers.get("x-selected-model"), headers.get("x-rtr-config-version")]).toEqual(["large", "2"])
    expect(kernel.plan.hash).not.toBe(before)
  })

  test("leaves requests on the one that they started with, streams among them", async () => {
    const { reply, send, end } = gatedReply()
    const { kernel, records } = await watchedKernel({
      transport: createFakeTransport(({ body }) =>
        body?.includes("true") === true ? reply : jsonReply(completion("hi")),
      ),
    })
    const streaming = await kernel.fetch(chat("urgent", { stream: true }))
    send(chunk("old "))
    await kernel.activate(documentWith(calm))
    expect(await servedBy(kernel.fetch(chat("calm")))).toBe("2")
    send(chunk("words"))
    send("data: [DONE]\n\n")
    end()
    expect([await servedBy(streaming), (await streaming.text()).includes("words")]).toEqual(["1", true])
    expect(records.map(({ generation, decision, status }) => [generation, decision, status])).toEqual([
      [2, "rush", 200],
      [1, "rush", 200],
    ])
  })

  test("that is broken is refused with every problem, and the old one serves on", async () => {
    const { kernel, ask } = await watchedKernel()
    const activating = kernel.activate(
      documentWith({ "routing.strategy": "dice", "providers.defaults.model": "nobody" }),
    )
    await expect(activating).rejects.toBeInstanceOf(ConfigError)
    await expect(activating).rejects.toMatchObject({ problems: [expect.anything(), expect.anything()] })
    await expect(kernel.activate("version: [")).rejects.toBeInstanceOf(ConfigError)
    const { headers } = await ask("urgent")
    expect([headers.get("x-selected-model"), headers.get("x-rtr-config-version")]).toEqual(["large", "1"])
    await kernel.activate(smallDocument)
    expect((await ask("urgent")).headers.get("x-rtr-config-version")).toBe("1")
  })

  test("may bring other keys and other grants, which hold for its own requests", async () => {
    const { kernel } = await watchedKernel()
    const statusOf = async (headers: Record<string, string> = {}) =>
      (await kernel.fetch(chat("urgent", {}, headers))).status
    expect(await statusOf()).toBe(200)
    await kernel.activate(documentWith({ "listeners.0.api_keys": ["k1"] }))
    expect([await statusOf(), await statusOf({ authorization: "Bearer k1" })]).toEqual([401, 200])
    await kernel.activate(documentWith({ "listeners.0.api_keys": ["k2"] }))
    expect([await statusOf({ authorization: "Bearer k1" }), await statusOf({ authorization: "Bearer k2" })]).toEqual([
      401, 200,
    ])
  })

  test("that comes while others are prepared serves in the end", async () => {
    const { kernel, ask } = await watchedKernel()
    const results = await Promise.allSettled([
      kernel.activate(documentWith({ "routing.decisions.0.description": "one" })),
      kernel.activate(documentWith({ "routing.decisions.0.description": "two" })),
      kernel.activate(documentWith(calm)),
    ])
    // The others have served for a moment or were replaced before.
    const refusals = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []))
    expect(refusals).toEqual(refusals.map(() => expect.objectContaining({ code: "unavailable" }) as unknown))
    expect(results.at(-1)?.status).toBe("fulfilled")
    expect((await ask("calm")).headers.get("x-selected-model")).toBe("large")
  })
})

test("a kernel that cannot be made closes what it was given", async () => {
  const transport = createFakeTransport(new Error("not called"))
  let closed = 0
  const inference = { ...createFakeInference(), close: async () => void (closed += 1) }
  await expect(createKernel({ config: documentWith({ version: "v9" }), transport, inference })).rejects.toBeInstanceOf(
    ConfigError,
  )
  expect([transport.closed.count, closed]).toEqual([1, 1])
})

test.each([-1, Number.NaN])("a kernel with %d bytes of memory is refused", async (memoryBytes) => {
  await expect(createFakeKernel({ memoryBytes })).rejects.toMatchObject({ code: "invalid_options" })
})

test("a closed kernel serves no more and has closed its transport", async () => {
  const kernel = await createFakeKernel()
  expect((await kernel.fetch(chat("urgent"))).status).toBe(200)
  await kernel.close()
  expect(kernel.transport.closed.count).toBe(1)
  expect(() => kernel.plan).toThrow("The kernel is closed")
  const refused = await kernel.fetch(new Request("http://router/v1/models"))
  expect([refused.status, await refused.json()]).toMatchObject([
    503,
    { error: { code: "unavailable", message: "The kernel is closed" } },
  ])
  await expect(kernel.activate(smallDocument)).rejects.toMatchObject({ code: "unavailable" })
})

test("warnings of a document go to the log of the host", async () => {
  const log = vi.fn<NonNullable<KernelOptions["log"]>>()
  await createFakeKernel({
    config: documentWith({ "providers.models.0.backend_refs.0.api_key": "${NO_SUCH_KEY}" }),
    log,
  })
  expect(log).toHaveBeenCalledWith("warning", "config_warning", {
    message: expect.stringMatching(
      /^the configuration providers\.models\[0\]\.backend_refs\[0\]\.api_key: .*NO_SUCH_KEY/,
    ) as unknown,
  })
})

test("modules that a document names must be passed in", async () => {
  await expect(
    createFakeKernel({ config: { ...smallDocument, modules: ["./signals/shouting.ts"] } }),
  ).rejects.toMatchObject({
    message: expect.stringContaining('pass it as modules: { "shouting": … }'),
  })
})

test("the management surface tells the generation that serves", async () => {
  const { kernel } = await watchedKernel()
  await kernel.activate(documentWith({ "routing.decisions.0.description": "changed" }))
  const response = await kernel.management.fetch(get("/api/v1/status"))
  expect([response.status, JSON.stringify(await response.json())]).toEqual([
    200,
    expect.stringContaining(kernel.plan.hash),
  ])
  expect(hostApiVersion).toBe(2)
})

describe("what a module throws for requests", () => {
  const failing = (hook: "before" | "after") =>
    definePlugin({
      about: "Fails",
      options: Type.Object({}),
      hooks: [hook],
      ...(hook === "after" && { stream: "buffer" }),
      setup: () => ({
        open: () => ({
          [hook]: () => {
            throw new TypeError("CANARY")
          },
        }),
      }),
    } as never) as unknown as PluginModule

  test.each(["before", "after"] as const)("in %s is told once, with module and hook", async (hook) => {
    const told: unknown[] = []
    const kernel = await createFakeKernel({
      config: documentWith({ "routing.decisions.0.plugins": [{ type: "broken", configuration: {} }] }),
      modules: { broken: failing(hook) },
      onInternalError: (error, about, where) => told.push([(error as Error).message, about, where]),
    })
    onTestFinished(() => kernel.close())
    for (let count = 0; count < 3; count++) expect((await kernel.fetch(chat("urgent"))).status).toBe(500)
    expect(told).toEqual([["CANARY", "plugin broken", hook]])
  })

  test("in a provider or a dialect is told with module and function, and not once more with the request", async () => {
    const fail = (): never => {
      throw new TypeError("CANARY")
    }
    const broken: readonly (readonly [hook: string, dialect: Partial<DialectModule>, toRequest?: () => never])[] = [
      ["toRequest", {}, fail],
      ["writeRequest", { writeRequest: fail }],
      ["leftOut", { leftOut: fail }],
      ["readReply", { readReply: fail }],
      [
        "readReply",
        {
          readReply() {
            throw new RtrError("internal_error", "CANARY")
          },
        },
      ],
      ["readError", { readError: fail }],
      ["reader", { reader: fail }],
      ["reader", { reader: () => ({ read: fail, end: fail }) }],
    ]
    for (const [hook, dialect, toRequest] of broken) {
      const told: unknown[] = []
      const reply = hook === "reader" ? streamReply([chunk("hi")]) : jsonReply(completion("hi"))
      const kernel = await createFakeKernel({
        config: documentWith({ "providers.models.1.backend_refs.0.provider": "odd" }),
        transport: createFakeTransport(hook === "readError" ? jsonReply({}, { status: 500 }) : reply),
        modules: {
          odd: defineProvider({
            about: "Fails",
            dialect: "odd_chat",
            setup: () => ({
              toRequest: toRequest ?? (() => ({ method: "POST", url: "https://odd.example", headers: {} })),
            }),
          }),
          odd_chat: defineDialect({ ...chatCompletions, about: "Fails", ...dialect }),
        },
        onInternalError: (error, about, where) => told.push([(error as Error).message, about, where]),
      })
      onTestFinished(() => kernel.close())
      await (await kernel.fetch(chat("urgent", { stream: hook === "reader" }))).text()
      expect(told).toEqual([["CANARY", toRequest === undefined ? "dialect odd_chat" : "provider odd", hook]])
    }
  })

  test.each([undefined, { method: "POST", url: "odd", headers: {} }])(
    "in the request of a provider, %j, is no failure of the backend",
    async (made) => {
      const told: unknown[] = []
      const kernel = await createFakeKernel({
        config: documentWith({ "providers.models.1.backend_refs.0.provider": "odd" }),
        modules: {
          odd: defineProvider({
            about: "Is wrong",
            dialect: "chat_completions",
            setup: () => ({ toRequest: () => made as never }),
          }),
        },
        onInternalError: (error, about, where) => told.push([(error as Error).message, about, where]),
      })
      onTestFinished(() => kernel.close())
      expect((await kernel.fetch(chat("urgent"))).status).toBe(500)
      expect(told).toEqual([["provider odd: toRequest must return a request with a URL", "provider odd", "toRequest"]])
    },
  )

  test("on purpose, for the client, is no mistake", async () => {
    const told: unknown[] = []
    const kernel = await createFakeKernel({
      config: documentWith({ "routing.decisions.0.plugins": [{ type: "refusing", configuration: {} }] }),
      modules: {
        refusing: definePlugin({
          about: "Refuses",
          options: Type.Object({}),
          hooks: ["before"],
          setup: () => ({
            open: () => ({
              before: () => {
                throw new RtrError("model_not_allowed", "No")
              },
            }),
          }),
        }),
      },
      onInternalError: (...call) => told.push(call),
    })
    onTestFinished(() => kernel.close())
    expect([(await kernel.fetch(chat("urgent"))).status, told]).toEqual([403, []])
  })
})
