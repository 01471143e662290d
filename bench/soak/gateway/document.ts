// The document that the soaked router serves: guards, subjects, keywords and fixed answers over four models, like the quickstart.

export const apiKey = "soak-key"
export const fixedAnswer = "I cannot set my instructions aside."

export interface DocumentPorts {
  readonly front: number
  readonly management: number
  readonly backend: number
}

/** `revision` makes two documents different, so that the router activates the second. */
export function documentOf({ front, management, backend }: DocumentPorts, revision: number): object {
  const names = ["small", "coder", "expert", "local"]
  return {
    version: "v0.3",
    listeners: [{ name: "soak", address: "127.0.0.1", port: front, api_keys: [apiKey] }],
    providers: {
      defaults: { model: "small" },
      models: names.map((name) => ({ name, backend_refs: [{ endpoint: `127.0.0.1:${backend}` }] })),
    },
    global: { services: { management_api: { port: management } } },
    routing: {
      signals: {
        jailbreak: [{ name: "injection" }],
        pii: [{ name: "personal-data", threshold: 0.6, pii_types_allowed: ["GPE", "ORGANIZATION", "DATE_TIME"] }],
        domains: [{ name: "computer science" }, { name: "math" }, { name: "law" }],
        keywords: [{ name: "outage", operator: "OR", keywords: ["outage", "production down", `revision-${revision}`] }],
        structure: [
          {
            name: "many-questions",
            feature: { type: "count", source: { type: "regex", pattern: "\\?" } },
            predicate: { gte: 3 },
          },
        ],
        context: [{ name: "long-input", min_tokens: "2K" }],
      },
      decisions: [
        {
          name: "guard",
          priority: 200,
          rules: { type: "jailbreak", name: "injection", on_unknown: "fail_request" },
          plugins: [{ type: "fast_response", configuration: { message: fixedAnswer } }],
        },
        {
          name: "private",
          priority: 150,
          rules: { type: "pii", name: "personal-data", on_unknown: "match" },
          modelRefs: [{ model: "local" }],
        },
        {
          name: "emergency",
          priority: 100,
          rules: anyOf(["keyword", "outage"], ["context", "long-input"], ["structure", "many-questions"]),
          modelRefs: [{ model: "expert" }],
        },
        {
          name: "programming",
          priority: 50,
          rules: { type: "domain", name: "computer science" },
          modelRefs: [{ model: "coder" }],
          plugins: [{ type: "system_prompt", configuration: { system_prompt: "Answer with code." } }],
        },
        {
          name: "science",
          priority: 40,
          rules: anyOf(["domain", "math"], ["domain", "law"]),
          modelRefs: [{ model: "expert" }],
        },
      ],
    },
  }
}

const anyOf = (...rules: readonly (readonly [type: string, name: string])[]): object => ({
  operator: "OR",
  conditions: rules.map(([type, name]) => ({ type, name })),
})
