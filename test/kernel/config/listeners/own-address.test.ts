import { expect, test } from "vitest"
import { formatPath } from "../../../../ts/kernel/schema/problem.ts"
import { documentWith, resolve } from "../../../fakes/document.ts"

const warningsOf = (address: string, ref: object): readonly string[] =>
  resolve(
    documentWith({
      "listeners.0": { name: "main", address, port: 8801 },
      "providers.models.0.backend_refs": [{ endpoint: "elsewhere.example" }, ref],
    }),
  ).warnings.map(({ path, message }) => `${formatPath(path)}: ${message}`)

test.each([
  ["127.0.0.1", { endpoint: "127.0.0.1:8801" }, "endpoint"],
  ["0.0.0.0", { endpoint: "localhost:8801" }, "endpoint"],
  ["127.0.0.1", { base_url: "http://0.0.0.0:8801/v1" }, "base_url"],
  ["::", { base_url: "http://[::1]:8801/v1" }, "base_url"],
  ["10.1.2.3", { endpoint: "10.1.2.3:8801" }, "endpoint"],
])("a listener at %s warns of backend %j", (address, ref, key) => {
  expect(warningsOf(address, ref)).toEqual([
    `providers.models[0].backend_refs[1].${key}: is the address of listener "main" of this router, which would ask itself again and again; write the address of the model's server`,
  ])
})

test.each([
  ["127.0.0.1", { endpoint: "127.0.0.1:8802" }],
  ["127.0.0.1", { endpoint: "127.0.0.1" }],
  ["0.0.0.0", { endpoint: "10.1.2.3:8801" }],
  ["10.1.2.3", { endpoint: "127.0.0.1:8801" }],
])("a listener at %s does not warn of backend %j", (address, ref) => {
  expect(warningsOf(address, ref)).toEqual([])
})
