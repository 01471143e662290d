import { expect, test } from "vitest"
import { inferenceErrorBody } from "../../../ts/kernel/http/error-body.ts"
import { isLoopback } from "../../../ts/kernel/config/listeners/loopback.ts"
import { onlyLocalNames } from "../../../ts/kernel/runtime/local-names.ts"
import { fakeListener } from "../../fakes/listener.ts"

test.each([
  ["127.0.0.1", true],
  ["127.1.2.3", true],
  ["localhost", true],
  ["::1", true],
  ["0.0.0.0", false],
  ["::", false],
  ["192.168.1.2", false],
  ["rtr.internal", false],
])("%s is the loopback: %s", (address, expected) => expect(isLoopback(address)).toBe(expected))

const statusFor = async (host: string, hasKeys?: () => boolean): Promise<number> => {
  const app = onlyLocalNames(fakeListener(), { toBody: inferenceErrorBody, ...(hasKeys !== undefined && { hasKeys }) })
  return (await app.fetch(new Request("http://h/thing", { headers: { host } }))).status
}

test("a listener without keys answers to localhost and to addresses only", async () => {
  for (const host of ["localhost", "LOCALHOST:8801", "127.0.0.1:8801", "[::1]:8801", "10.0.0.1", ""])
    expect([host, await statusFor(host)]).toEqual([host, 200])
  for (const host of ["evil.example", "evil.example:8801", "localhost.evil.example", "127.0.0.1.evil.example"])
    expect([host, await statusFor(host)]).toEqual([host, 421])
})

test("a listener with keys answers to any name, and keys may come and go", async () => {
  let keys = true
  expect(await statusFor("rtr.example", () => keys)).toBe(200)
  keys = false
  expect(await statusFor("rtr.example", () => keys)).toBe(421)
})

test("the refusal has the format of its listener, and is told", async () => {
  const told: unknown[] = []
  const onRefused = (request: unknown): void => void told.push(request)
  const app = onlyLocalNames(fakeListener(), { toBody: inferenceErrorBody, onRefused })
  const headers = { host: "evil.example", "x-request-id": "mine" }
  const response = await app.fetch(new Request("http://h/thing", { headers }))
  expect(told).toEqual([{ id: "mine", method: "GET", status: 421, error: "invalid_request" }])
  expect(await response.json()).toMatchObject({
    error: {
      code: "invalid_request",
      message: expect.stringContaining("answers to localhost and to IP addresses only"),
    },
  })
})
