import { describe, expect, test } from "vitest"
import { literalSecrets, redactSecrets } from "../../../ts/kernel/config/secrets.ts"
import { formatPath } from "../../../ts/kernel/schema/problem.ts"
import { documentWith, problemsOf } from "../../fakes/document.ts"

/** A document with a secret in every place that there is, and what may be printed of it. */
const cases: readonly (readonly [path: string, written: unknown, printed: unknown, counts?: false])[] = [
  ["listeners.0.api_keys", ["sk-1", "${KEY}"], ["<redacted>", "${KEY}"]],
  ["listeners.0.keys", [{ name: "team", key: "x" }], [{ name: "team", key: "x" }], false],
  ["listeners.0.api_keys", [{ name: "a", value: "k", env: "E" }], [{ name: "a", value: "<redacted>", env: "E" }]],
  ["backend.api_key", "sk-1", "<redacted>"],
  ["backend.api_key", "${KEY:-sk-1}", "${KEY:-<redacted>}"],
  ["backend.api_key", "sk-$$5", "<redacted>"],
  ["backend.api_key", "a${KEY}b", "<redacted>${KEY}<redacted>"],
  ["backend.api_key", "{{KEY}}", "<redacted>"],
  ["backend.auth_token", "Bearer sk-1", "Bearer <redacted>"],
  ["backend.extra_headers", { Authorization: "Bearer ${KEY}" }, { Authorization: "Bearer ${KEY}" }, false],
  ["backend.extra_headers", { "X-Api-Key": "sk-1" }, { "X-Api-Key": "<redacted>" }],
  ["backend.extra_headers", { "anthropic-version": "2023-06-01" }, { "anthropic-version": "2023-06-01" }, false],
  // Not printed, because most names do not tell, and not warned of.
  ["backend.extra_headers", { "X-Title": "shop" }, { "X-Title": "<redacted>" }, false],
  ["backend.extra_headers", { "x-selected-model": "foo" }, { "x-selected-model": "<redacted>" }, false],
  ["backend.extra_headers", { referer: "https://h/a-long-path-of-2026" }, { referer: "<redacted>" }, false],
  ["backend.extra_headers", { "X-Key": "5" }, { "X-Key": "<redacted>" }],
  ["backend.extra_headers", { "x-session-token": "5" }, { "x-session-token": "<redacted>" }],
  ["backend.extra_headers", { Cookie: "a=5" }, { Cookie: "<redacted>" }],
  ["backend.extra_headers", { "x-team": "Bearer abc" }, { "x-team": "Bearer <redacted>" }],
  ["backend.extra_headers", { "x-team": "sk-1" }, { "x-team": "<redacted>" }],
  ["backend.extra_headers", { "x-team": "a81bc81bdead4e5dabff90865d1e13b1" }, { "x-team": "<redacted>" }],
  ["backend.base_url", "https://me:pa@ss@host/v1", "https://me:<redacted>@host/v1"],
  ["backend.base_url", "https://${ME}:${PASSWORD}@host/v1", "https://${ME}:${PASSWORD}@host/v1", false],
  ["backend.base_url", "https://token@host/v1?x=1&api_key=k#f", "https://<redacted>@host/v1?x=1&api_key=<redacted>#f"],
  ["plugin.set", [{ name: "Authorization", value: "sk-1" }], [{ name: "Authorization", value: "<redacted>" }]],
  ["plugin.set", [{ name: "X-Team", value: "blue" }], [{ name: "X-Team", value: "blue" }], false],
  ["store.configuration", { user: "me", password: 12345 }, { user: "me", password: "<redacted>" }],
  ["store.configuration", { clientSecret: { inner: "s" } }, { clientSecret: { inner: "<redacted>" } }],
  [
    "store.configuration",
    { accessTokens: ["t"], tokens: ["t"] },
    { accessTokens: ["<redacted>"], tokens: ["<redacted>"] },
  ],
  ["kb.groups", { secrets: ["password"] }, { secrets: ["password"] }, false],
  ["kb.label_thresholds", { credentials: 0.7 }, { credentials: 0.7 }, false],
]

describe("what is printed of a document", () => {
  test("has no secret in any place", () => {
    for (const [path, written, printed] of cases)
      expect(redactSecrets(documentWith({ [path]: written }, {}))).toEqual(documentWith({ [path]: printed }, {}))
  })

  test.each<[string, unknown]>([
    ["backend.api_key", ""],
    ["backend.api_key", "${KEY:-}"],
    ["backend.api_key", "$KEY"],
    ["backend.api_key_env", "OPENAI_API_KEY"],
    ["backend.auth_header", "api-key"],
    ["backend.auth_prefix", "Bearer"],
    ["auth.tokens", [{ env: "ADMIN", role: "admin" }]],
    ["rule.max_tokens", "4K"],
    ["rule.keywords", ["password", "https://host/path?q=1"]],
    ["store.path", "./state.db"],
    ["anything", null],
  ])("%s %j stays", (path, written) => {
    const document = documentWith({ [path]: written }, {})
    expect(redactSecrets(document)).toEqual(document)
    expect(literalSecrets(document)).toEqual([])
  })
})

test("literal secrets are found where they stand", () => {
  for (const [path, written, , counts = true] of cases)
    expect([path, literalSecrets(documentWith({ [path]: written }, {})).length > 0]).toEqual([path, counts])
  const document = documentWith({ "listeners.0.api_keys": ["${KEY}", "sk-1"] })
  expect(literalSecrets(document).map(formatPath)).toEqual([
    "listeners[0].api_keys[1]",
    "providers.models[1].backend_refs[0].api_key",
  ])
})

test("a printed document is refused until its secrets are back", () => {
  const printed = redactSecrets(documentWith({ "listeners.0.api_keys": ["sk-1"] }))
  expect(problemsOf(printed)).toEqual([
    'listeners[0].api_keys[0]: has "<redacted>" in place of a secret that was not printed; write the value or a ${VARIABLE}',
    'providers.models[1].backend_refs[0].api_key: has "<redacted>" in place of a secret that was not printed; write the value or a ${VARIABLE}',
  ])
  const fallback = documentWith({ "listeners.0.api_keys": ["${KEY:-<redacted>}"] })
  expect(problemsOf(fallback)).toEqual([expect.stringMatching(/^listeners\[0\]\.api_keys\[0\]: has "<redacted>"/)])
  expect(problemsOf(fallback, { KEY: "sk-1" })).toEqual([])
  for (const key of ["<redacted>${KEY}<redacted>", "pre-<redacted>"])
    expect(problemsOf(documentWith({ "listeners.0.api_keys": [key] }), { KEY: "sk-1" })).toEqual([
      expect.stringMatching(/^listeners\[0\]\.api_keys\[0\]: has "<redacted>"/),
    ])
})
