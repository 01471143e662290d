// What every decision plugin must do.

import type { TObject } from "typebox"
import { Value } from "typebox/value"
import type { ChatRequest, PluginCall, PluginModule } from "../kernel/index.ts"
import { type ContractCase, contractCase, deepFreeze, expectThat } from "./case.ts"

export interface PluginContractOptions {
  /** `configuration` of a decision's plugin. */
  readonly options: Readonly<Record<string, unknown>>
}

const requests: readonly ChatRequest[] = [
  { model: "MoM", messages: [{ role: "user", content: "hello" }] },
  {
    model: "MoM",
    stream: true,
    messages: [
      { role: "system", content: "rules" },
      { role: "user", content: "hello" },
    ],
    max_tokens: 10,
    x_unknown: { kept: true },
  },
  {
    model: "MoM",
    messages: [
      { role: "developer", content: [{ type: "text", text: "rules" }] },
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "image_url", image_url: { url: "data:," } },
        ],
      },
    ],
  },
  {
    model: "MoM",
    messages: [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "1", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "1", content: "" },
    ],
  },
]

/** A call as a plugin sees it, frozen. */
export function pluginCall(request: ChatRequest): PluginCall {
  return deepFreeze({ id: "req-1", decision: "test", model: "small", request, headers: { "x-request-id": "req-1" } })
}

export function pluginContract<Options extends TObject>(
  module: PluginModule<Options>,
  { options }: PluginContractOptions,
): readonly ContractCase[] {
  const frozen = deepFreeze(structuredClone(options))
  return [
    contractCase("says what it does in one line", () => {
      expectThat(module.kind === "plugin", "a module made by definePlugin")
      expectThat(module.about.trim() !== "" && !module.about.includes("\n"), "about to be one line")
    }),
    contractCase("accepts its sample options and refuses unknown keys", () => {
      expectThat(Value.Check(module.options, frozen), "the sample options to fit the schema")
      expectThat(!Value.Check(module.options, { ...frozen, no_such_option: 1 }), "an unknown option to be refused")
      module.check?.(frozen as never, (path, message) => {
        throw new Error(`Expected the sample options to be valid, got ${path.join(".")}: ${message}`)
      })
    }),
    contractCase("offers only hooks that the kernel knows", async () => {
      const hooks = await module.setup(frozen as never)
      for (const [name, hook] of Object.entries(hooks)) {
        expectThat(["before", "around", "onChunk", "after"].includes(name), `a known hook, got "${name}"`)
        expectThat(typeof hook === "function", `hook "${name}" to be a function`)
      }
    }),
    contractCase("leaves the request it was given as it was", async () => {
      const { before } = await module.setup(frozen as never)
      for (const request of requests) {
        const result = await before?.(pluginCall(structuredClone(request)))
        if (result === undefined) continue
        const kinds =
          ["answer", "refuse"].filter((kind) => kind in result).length +
          ("request" in result || "headers" in result ? 1 : 0)
        expectThat(kinds <= 1, "a change, an answer or a refusal, not several")
        if ("request" in result && result.request !== undefined)
          expectThat(
            Array.isArray(result.request.messages) && typeof result.request.model === "string",
            "the changed request to be a request",
          )
      }
    }),
  ]
}
