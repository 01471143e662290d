import { expect, test } from "vitest"
import { junitXml } from "../../../ts/cli/route/junit.ts"

test("results are XML that a build server reads, whatever a prompt holds", () => {
  const results = [
    { name: "plain", seconds: 0.0123, failures: [] },
    { name: 'a "<b>" & \u0007', seconds: 1, failures: ['decision: expected "x", got none', "model: <y>"] },
  ]
  expect(junitXml("routes.yaml", results)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="routes.yaml" tests="2" failures="1" time="1.012">
    <testcase classname="routes.yaml" name="plain" time="0.012"/>
    <testcase classname="routes.yaml" name="a &quot;&lt;b&gt;&quot; &amp; " time="1.000">
      <failure message="decision: expected &quot;x&quot;, got none">decision: expected &quot;x&quot;, got none
model: &lt;y&gt;</failure>
    </testcase>
  </testsuite>
</testsuites>
`)
})
