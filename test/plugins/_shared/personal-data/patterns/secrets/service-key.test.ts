import { expect, test } from "vitest"
import { partsBy } from "../../../../../fakes/found-parts.ts"
import { findServiceKeys } from "../../../../../../ts/plugins/_shared/personal-data/patterns/secrets/service-key.ts"

const found = partsBy(findServiceKeys)

/** Signs that look drawn; beginnings stand apart from them, so that scanners of this repository do not take them for real keys. */
const signs = (alphabet: string, length: number): string =>
  Array.from({ length }, (_, place) => alphabet.charAt((place * place * 7 + place * 11 + 5) % alphabet.length)).join("")
const any = (length: number): string => signs("q7ZkP2vXm9LtR4wYc8NsJ3dHfB6gTq1EaUoXiW5KrSbDyFhGjMCxVzAQe0lInu", length)
const hex = (length: number): string => signs("9f3c1b7e5d2a8046f", length)
const small = (length: number): string => signs("k7qm2xv9lp4rt8wz6bn1yc3dhj5", length)
const capitals = (length: number): string => signs("K7QM2XV9LP4RT8WZ6BN1YC3DHJ5", length)
const uuid = `${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}`

test("keys of services are found by their forms", () => {
  const cases: readonly (readonly [beginning: string, rest: string])[] = [
    ["ops_eyJ", any(160)],
    ["AGE-SECRET-KEY-1", signs("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)],
    ["pat", `${any(14)}.${hex(64)}`],
    ["AVNS_", any(19)],
    ["LTAI", any(20)],
    ["ABSK", any(128)],
    ["AKCp", any(69)],
    ["1/", `1208837465102938:${hex(32)}`],
    ["ATATT3", `${any(180)}=1D2C3B4A`],
    [any(3), `8Q~${any(34)}`],
    ["bkua_", small(40)],
    ["csk-", small(48)],
    ["CCIPAT_", `${any(22)}_${hex(40)}`],
    ["pk_", `48211377_${capitals(32)}`],
    ["CFPAT-", any(43)],
    ["cio", any(32)],
    ["dp.pt.", any(43)],
    ["duffel_live_", any(43)],
    ["dt0c01.", `${capitals(24)}.${capitals(64)}`],
    ["e2b_", hex(40)],
    ["EZAK", any(54)],
    ["sk_", hex(48)],
    ["EAAC", any(150)],
    ["fc-", hex(32)],
    ["fw_", any(24)],
    ["fm2_", `${any(160)}==`],
    ["gloas-", hex(64)],
    ["glcbt-", `64_${any(20)}`],
    ["glptt-", hex(40)],
    ["glpat-", `${any(27)}.01.${small(9)}`],
    ["HRKU-", `AA${any(58)}`],
    ["pat-na1-", uuid],
    ["jina_", any(60)],
    ["sk.eyJ1", `${any(60)}.${any(22)}`],
    ["napi_", small(64)],
    ["nfp_", any(36)],
    ["oy2", small(43)],
    ["rubygems_", hex(48)],
    ["pcsk_", `${any(6)}_${any(63)}`],
    ["access-production-", uuid],
    ["pscale_tkn_", any(43)],
    ["phx_", any(43)],
    ["pnu_", any(36)],
    ["pul-", hex(40)],
    ["rzp_live_", any(14)],
    ["rdme_", small(70)],
    ["rnd_", any(28)],
    ["re_", `${any(8)}_${any(24)}`],
    ["SCW", capitals(17)],
    ["sntrys_eyJ", `${any(120)}=_${any(43)}`],
    ["sntryu_", hex(64)],
    ["shippo_live_", hex(40)],
    ["snyk_uat.", `${hex(8)}.${any(60)}.${any(20)}`],
    ["squ_", hex(40)],
    ["sgp_", `${hex(16)}_${hex(40)}`],
    ["EAAA", any(60)],
    ["sq0csp-", any(43)],
    ["tvly-", `dev-${any(32)}`],
    ["https://acme.webhook.office.com/webhookb2/", `${uuid}@${uuid}/IncomingWebhook/${hex(32)}/${uuid}`],
    ["AKID", any(32)],
    ["tfp_", `${any(44)}_${any(14)}`],
    ["vcp_", any(24)],
    ["pa-", any(43)],
    ["wandb_v1_", `${any(27)}_${any(50)}`],
    ["https://hooks.zapier.com/hooks/catch/", "8213377/b7kq2mz"],
  ]
  for (const [beginning, rest] of cases)
    expect(found(`use ${beginning}${rest}, for now`)).toEqual([`${beginning}${rest}`])
})

test("of a setting or an address the secret alone is found", () => {
  const account = `${any(86)}==`
  const signature = `${any(43)}%3D`
  expect(found(`AccountName=shop;AccountKey=${account};EndpointSuffix=x`)).toEqual([account])
  expect(found(`https://shop.blob.core.windows.net/a?sv=2022-11-02&sig=${signature}&se=2026`)).toEqual([signature])
})

test("words, ids and placeholders with the same beginnings are no keys", () => {
  const cases = [
    "pa-system and pa-11y",
    "fc-bayern-muenchen-2024",
    "fw_update_partition_size_of_2024",
    "re_sample1_abcdefghijklmnopqrstuvwx",
    "re_compile_the_regular_expression_2",
    "cioppino for 4, cio2024",
    "oy2",
    "pat-na1-your-token-here",
    "pul-12",
    "sk_live",
    "rnd_float32_between_zero_and_one",
    "vcp_1",
    "ops_eyJ",
    "SCWXXXXXXXXXXXXXXXXX",
    "access-production-database-2024",
    "tvly-YOUR_API_KEY_GOES_HERE_12345",
    "1/2:3 and 1/12:34",
    "https://hooks.zapier.com/hooks/catch/123456/abcde/",
    "?sig=short1&x=2",
    `commit ${hex(40)}`,
    `fw_${"deviceconfiguration2"}`,
    `pa-${"the-quick-brown-fox-jumps-over-the-lazy-dog-2"}`,
    `pa-${any(42)}`,
    `nfp_${any(20)}`,
  ] as const
  for (const text of cases) expect([text, ...found(text)]).toEqual([text])
})
