import { routeContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import route from "../../../ts/plugins/routes/models.ts"
import { documentWith } from "../../fakes/document.ts"
import { createFakeKernel, get } from "../../fakes/kernel.ts"

describe("contract", () => {
  for (const { name, run } of routeContract(route)) test(name, run)
})

async function list(
  changes: Readonly<Record<string, unknown>> = {},
  surface: "inference" | "management" = "inference",
) {
  const kernel = await createFakeKernel({ config: documentWith(changes) })
  const request = get("/v1/models")
  const response = await (surface === "inference" ? kernel.fetch(request) : kernel.management.fetch(request))
  return (await response.json()) as { object: string; data: { id: string }[] }
}
const idsOf = async (...given: Parameters<typeof list>): Promise<readonly string[]> =>
  (await list(...given)).data.map(({ id }) => id)

test("lists the automatic names first, then the configured models", async () => {
  const before = Math.floor(Date.now() / 1000)
  const { object, data } = await list()
  const virtual = (id: string) => ({
    id,
    object: "model",
    created: expect.any(Number),
    owned_by: "rtr",
    description: "Automatic routing",
    routing: { resolution: "virtual", selectable: true },
  })
  const real = (id: string) => ({
    id,
    object: "model",
    created: expect.any(Number),
    owned_by: "upstream-endpoint",
    routing: { resolution: "passthrough", selectable: true },
  })
  expect({ object, data }).toEqual({
    object: "list",
    data: [virtual("MoM"), virtual("auto"), virtual("rtr/auto"), real("small"), real("large")],
  })
  expect((data[0] as unknown as { created: number }).created).toBeGreaterThanOrEqual(before)
})

test("describes models by their cards", async () => {
  const card = { name: "small", description: "quick", param_size: "7b", tags: ["local"] }
  const { data } = await list({ "routing.modelCards": [card, { name: "large" }] })
  expect(data.slice(3)).toEqual([
    expect.objectContaining({ id: "small", description: "quick", card: { param_size: "7b", tags: ["local"] } }),
    expect.not.objectContaining({ card: expect.anything() }),
  ])
})

test("lists LoRAs as models", async () => {
  expect(await idsOf({ "routing.modelCards": [{ name: "large", loras: [{ name: "law-lora" }] }] })).toContain(
    "law-lora",
  )
})

test("can leave the configured models out", async () => {
  expect(await idsOf({ "global.router.include_config_models_in_list": false })).toEqual(["MoM", "auto", "rtr/auto"])
})

test("follows the names that mean automatic routing", async () => {
  const router = { auto_model_name: "magic", auto_model_names: ["any", "magic"], include_config_models_in_list: false }
  expect(await idsOf({ "global.router": router })).toEqual(["magic", "any"])
})

test("lists on a listener with grants only what they grant, and everything to management", async () => {
  const changes = { "listeners.0.models": ["MoM", "small"] }
  expect(await idsOf(changes)).toEqual(["MoM", "small"])
  expect(await idsOf(changes, "management")).toEqual(["MoM", "auto", "rtr/auto", "small", "large"])
})

describe("one model", () => {
  const read = async (id: string, changes: Readonly<Record<string, unknown>> = {}) => {
    const kernel = await createFakeKernel({ config: documentWith(changes) })
    const response = await kernel.fetch(get(`/v1/models/${id}`))
    return [response.status, await response.json()] as const
  }

  test("is what the list says, also under a name with slashes", async () => {
    const { data } = await list()
    for (const [path, id] of [
      ["small", "small"],
      ["rtr/auto", "rtr/auto"],
      ["rtr%2Fauto", "rtr/auto"],
    ] as const)
      expect(await read(path)).toEqual([200, { ...data.find((entry) => entry.id === id), created: expect.any(Number) }])
  })

  test("that is not there is not found, in the format of its client", async () => {
    for (const id of ["nobody", "small/x", "rtr"])
      expect(await read(id)).toEqual([
        404,
        {
          error: expect.objectContaining({
            code: "model_not_found",
            type: "not_found_error",
            message: `Model "${id}" is not available here; GET /v1/models lists those that are`,
          }),
        },
      ])
  })

  test("that the listener does not grant is not there", async () => {
    const changes = { "listeners.0.models": ["MoM", "small"] }
    expect([(await read("small", changes))[0], (await read("large", changes))[0]]).toEqual([200, 404])
  })
})
