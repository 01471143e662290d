import { expect, test } from "vitest"
import { checkHost } from "../../../../ts/kernel/config/host-matters.ts"
import { formatPath } from "../../../../ts/kernel/schema/problem.ts"
import { canonical, documentWith, problemsOf } from "../../../fakes/document.ts"
import { registry } from "../../../fakes/registry.ts"

const secret = "sk-nobody-may-see-this"

test.each([
  [
    { "providers.defaults.model": "${KEY}" },
    { KEY: secret },
    /^providers\.defaults\.model: "\$\{KEY\}" is not in providers\.models$/,
  ],
  [{ "providers.defaults.model": "pre-${KEY:-x}" }, { KEY: "abc" }, /"pre-\$\{KEY:-x\}" is not in providers\.models/],
  [
    { "providers.defaults.model": "$KEY" },
    { KEY: "a" },
    /^providers\.defaults\.model: "\$KEY" is not in providers\.models$/,
  ],
  [
    { "providers.defaults.model": "${KEY}" },
    { KEY: 'with "quotes" in it' },
    /^providers\.defaults\.model: "\$\{KEY\}" is/,
  ],
  [{ "listeners.0.port": "${KEY}" }, { KEY: "99999" }, /^listeners\[0\]\.port: must be <= 65535, got \$\{KEY\}$/],
  [
    { "providers.models.0.backend_refs": [{ base_url: "${KEY}" }] },
    { KEY: "https://internal.example/v1/chat/completions" },
    /base_url: ends with \/chat\/completions, which is added to it; write \$\{KEY\}$/,
  ],
  [
    { "routing.decisions.0.modelRefs": [{ model: "${KEY}" }] },
    { KEY: secret },
    /^routing\.decisions\[0\]\.modelRefs\[0\]\.model: "\$\{KEY\}" /,
  ],
])("%j is refused without a value of the environment", (changes, environment, expected) => {
  expect(problemsOf(documentWith(changes), environment).join("\n")).toMatch(expected)
})

test("other words that equal a short value stay", () => {
  expect(
    problemsOf(documentWith({ "providers.models.0.name": "${NAME}", "listeners.0.models": ["smal"] }), {
      NAME: "small",
    }),
  ).toEqual([
    'listeners[0].models[0]: "smal" is neither a name of automatic routing nor in providers.models or global.model_catalog.deployments (did you mean "small"?)',
  ])
})

test.each([
  ["gsk_LITERALSECRET12345", /^the environment variable that it names \(not shown: .*\) is not set$/],
  ["MY_KEY_2", /^environment variable MY_KEY_2 is not set$/],
])("a variable is called by its name where it can be no key: %s", (name, expected) => {
  const document = canonical({ "providers.models.0.backend_refs": [{ endpoint: "h", api_key_env: name }] })
  const [problem] = checkHost(document, {}, registry)
  expect(formatPath(problem?.path ?? [])).toBe("providers.models[0].backend_refs[0].api_key_env")
  expect(problem?.message).toMatch(expected)
})
