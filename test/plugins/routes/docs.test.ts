import { routeContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import route from "../../../ts/plugins/routes/docs.ts"
import { mountRoute } from "../../fakes/listener.ts"

describe("contract", () => {
  for (const { name, run } of routeContract(route)) test(name, run)
})

test("GET /docs is a page that loads nothing but the OpenAPI document, under a strict policy", async () => {
  const ask = mountRoute(route, {})
  const [first, second] = [await ask("/docs"), await ask("/docs")]
  expect([first.status, first.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"])
  const nonce = /script-src 'nonce-([\w-]+)'/.exec(first.headers["content-security-policy"] ?? "")?.[1] ?? ""
  expect(first.headers["content-security-policy"]).toContain("default-src 'none'; connect-src 'self'")
  expect([...first.text.matchAll(/<(?:script|style)\b[^>]*>/g)].map(([tag]) => tag)).toEqual([
    `<style nonce="${nonce}">`,
    `<script nonce="${nonce}">`,
  ])
  expect(first.text).not.toMatch(/https?:\/\/|\{nonce\}|\son\w+=|style="/)
  expect(first.text).toContain('fetch("openapi.json")')
  expect(second.text).not.toContain(nonce)
})

test("the script of the page is valid", async () => {
  const { text } = await mountRoute(route, {})("/docs")
  const script = /<script[^>]*>([\s\S]*)<\/script>/.exec(text)?.[1] ?? ""
  // oxlint-disable-next-line typescript/no-implied-eval
  expect(() => new Function(script)).not.toThrow()
})
