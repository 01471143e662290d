import { expect, test } from "vitest"
import { isOfNobody } from "../../../../ts/plugins/_shared/personal-data/reserved-values.ts"

test.each([
  ["IP_ADDRESS", "2001:4860:4860::8888 2606:4700:4700::1111 2620:fe::fe 2001:4860:4860:0:0:0:0:8844"],
  ["EMAIL_ADDRESS", "info@firma.de support@acme.io sales@acme.io hello@acme.io jobs@acme.io security@acme.io"],
  [
    "EMAIL_ADDRESS",
    "team@acme.io returns@shop.de phishing@bank.com packages@qa.debian.org ombudsman@parliament.uk ops@company.com oncall@acme.io admin@example.com",
  ],
  ["EMAIL_ADDRESS", "python-dev@python.org bug-coreutils@gnu.org linux-kernel@vger.kernel.org ann@lists.acme.io"],
  ["EMAIL_ADDRESS", "ann.lee@shop.example ann@mail.test ann@host.invalid info(at)firma(dot)de"],
  [
    "EMAIL_ADDRESS",
    "test@test.com tester2@test.de foo@bar.com user1@domain.com your.name@yourcompany.com email@example.de user@example.co.uk john.doe@email.com a@b.co x@y.com firstname.lastname@my-domain.io",
  ],
  [
    "EMAIL_ADDRESS",
    "conduct@acme.io code-of-conduct@acme.io security-reports@acme.io psirt@acme.io opencode@acme.io moderators@acme.io hr@acme.io support-eu@acme.io ventas@acme.es accueil@acme.fr segreteria@acme.it",
  ],
  ["PHONE_NUMBER", "0800-123-4567 08001234567 1-800-555-0199 +18005550199 (888)555-0199 +49-800-1234567 +498001234567"],
])("of the kind %s are nobody's: %s", (kind, values) => {
  for (const value of values.split(" ")) expect([value, isOfNobody(kind, value)]).toEqual([value, true])
})

test.each([
  ["IP_ADDRESS", "2001:4860:4861::8888 2606:4700:3030::1111 2a02:810d:8abf::17"],
  [
    "EMAIL_ADDRESS",
    "informatika@acme.io ann.info@acme.io jane.roe@example.com m.desmet(at)kaaswinkel(dot)be ann@test.de",
  ],
  [
    "EMAIL_ADDRESS",
    "jane@domain.com foo@acme.io test.ann@bar.com bob@b.co a@bc.de john.doe@acme.io john.doe@example.com user@exampleshop.de conductor@acme.io hrach@acme.io ann.support-eu@acme.io itamar@acme.io",
  ],
  ["EMAIL_ADDRESS", "ann-dev.lee@acme.io teamann@acme.io anna.list@acme.io ann@lists-acme.io bugsy@acme.io"],
  ["PHONE_NUMBER", "415-555-0132 +14155550132 8886412345 0171-8001234 +49-171-8001234 +48001234567 +4930800123"],
])("of the kind %s are somebody's: %s", (kind, values) => {
  for (const value of values.split(" ")) expect([value, isOfNobody(kind, value)]).toEqual([value, false])
})

test.each([
  ["support (at) acme.io", true],
  ["support at acme dot io", true],
  ["no-reply @ acme.io", true],
  ["ann at acme dot io", false],
  ["ann dot support at acme dot io", false],
])("the mailbox that %j spells counts: %j", (spelled, expected) =>
  expect(isOfNobody("EMAIL_ADDRESS", spelled)).toBe(expected),
)
