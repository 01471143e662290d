import { expect, test } from "vitest"
import { partsBy } from "../../../../fakes/found-parts.ts"
import { findSpelledEmails } from "../../../../../ts/plugins/_shared/personal-data/patterns/spelled-email.ts"

const found = partsBy(findSpelledEmails)

const value = "m.okafor (at) klinik.de"

test("addresses are found with spaces, and with words for their signs", () => {
  const cases = [
    ["you get me here: m.okafor (at) klinik.de", "m.okafor (at) klinik.de"],
    ["s_lundgren [at] firma.se, thanks", "s_lundgren [at] firma.se"],
    ["my e-mail: okafor (at) klinik.de", "okafor (at) klinik.de"],
    ["okafor82 (at) gmx.net", "okafor82 (at) gmx.net"],
    ["hana.novak @ seznam.cz", "hana.novak @ seznam.cz"],
    ["write to hana @ novakovi.cz", "hana @ novakovi.cz"],
    ["hana.novak at novakovi dot cz", "hana.novak at novakovi dot cz"],
    ["hana dot novak at mail dot novakovi dot cz", "hana dot novak at mail dot novakovi dot cz"],
    ["my email is hana at novakovi dot cz", "hana at novakovi dot cz"],
    ["reach me under hana.novak at gmail.com", "hana.novak at gmail.com"],
    ["paolo chiocciola posta punto it", "paolo chiocciola posta punto it"],
    ["Mail: jens Klammeraffe haus punkt de", "jens Klammeraffe haus punkt de"],
    ["jens<at>haus.de", "jens<at>haus.de"],
  ] as const
  for (const [text, part] of cases) expect([text, ...found(text)]).toEqual([text, part])
})

test("words of a sentence are none", () => {
  const cases = [
    "we meet (at) theater.de",
    "tickets (at) theater.de",
    "see you @ theater.de",
    "Node.js @ conf.dev",
    "the talk index.html @ site.org",
    "find us at shop dot com",
    "email us at shop dot com",
    "contact us at shop.com",
    "meet me at shop.com",
    "look at gitlab.com",
    "sign in at outlook.com",
    "the boom at the dot com peak",
    "read setup.py at docs.python.org",
    "my new job at initech.com",
    "(at) shop.com",
    "5 @ 3.50",
  ] as const
  for (const text of cases) expect([text, ...found(text)]).toEqual([text])
})

test("hostile texts are read to their end", () => {
  for (const unit of [" at ", " @ ", "a at b.", "a @ b. ", "a dot b at ", "a dot ", "<at>", "mail at at "]) {
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length))
    expect(found(`${text} ${value}`).at(-1)).toBe(value)
  }
})

test("products of matrices and packages at a host are none", () => {
  const cases = [
    "h = x_norm @ self.weight",
    "out = attn.softmax @ value.states",
    "y = self.weight @ x.hidden",
    "lodash.merge @ unpkg.com",
  ]
  for (const text of cases) expect([text, ...found(text)]).toEqual([text])
})
