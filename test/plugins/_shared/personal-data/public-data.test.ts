import { describe, expect, test } from "vitest"
import { publicIn } from "../../../../ts/plugins/_shared/personal-data/public-data.ts"

/** What stands between brackets is the finding. */
const isPublic = (kind: string, marked: string): boolean => {
  const start = marked.indexOf("⟦")
  const end = marked.indexOf("⟧") - 1
  return publicIn(marked.replaceAll(/[⟦⟧]/g, ""))({ kind, start, end, probability: 1 })
}

describe("is for everybody", () => {
  test.each([
    ["EMAIL_ADDRESS", "write to ⟦support@acme.io⟧"],
    ["EMAIL_ADDRESS", "await login('⟦jane.doe@example.com⟧')"],
    ["EMAIL_ADDRESS", "alice:\n  id: 1\n  email: ⟦alice@example.org⟧"],
    ["USERNAME", "call_0 ⟦call_HGlPpgnYhMrrrehhXMJtBBHn⟧ call_2"],
    ["ID", "see ⟦toolu_01⟧"],
    ["USERNAME", "chatcmpl-⟦a8XkPq2Lm0⟧"],
    ["EMAIL_ADDRESS", "# Copyright 2024 Ann Lee <⟦ann@lee.dev⟧>"],
    ["STREET_ADDRESS", "Opening hours, Municipal Library, ⟦210 Juniper Street⟧: Mon–Thu 10–20"],
    ["PHONE_NUMBER", "The tourist office (phone ⟦045-211-0111⟧) closes at six. When do I have to land?"],
    ["PHONE_NUMBER", '{"phone":"⟦+34 900 000 000⟧","opening_hours":["Mon-Fri 8-14"]}'],
    ["PHONE_NUMBER", "Prado. Tel. ⟦+34 91 330 2800⟧\nHorario: lunes a sábado 10-20"],
    ["PHONE_NUMBER", "Réception ouverte de 7h à 22h, tél. ⟦03 80 55 01 99⟧"],
    ["STREET_ADDRESS", "⟦Museumsinsel 1, 80538 München⟧. Täglich 9 bis 17 Uhr."],
    ["STREET_ADDRESS", "Rathaus, ⟦Marktplatz 3⟧. Öffnungszeiten: Mo bis Fr"],
  ])("%s in %j", (kind, text) => expect(isPublic(kind, text)).toBe(true))
})

describe("is somebody's", () => {
  test.each([
    ["EMAIL_ADDRESS", "My mail is ⟦jane.doe@example.com⟧, thanks"],
    ["EMAIL_ADDRESS", "await login('⟦jane.doe@acme.io⟧')"],
    ["STREET_ADDRESS", "My address is ⟦12 Church Lane⟧, the shop below is open daily"],
    ["STREET_ADDRESS", "Deliver to ⟦12 Church Lane⟧, the shop closes at 8"],
    ["PHONE_NUMBER", "Open daily.\n\nAnn: ⟦030 901820⟧"],
    ["PHONE_NUMBER", "The case is closed, call ⟦030 901820⟧"],
    ["USERNAME", "message ⟦call_me_maybe⟧"],
    ["USERNAME", "ask ⟦run_ann7⟧"],
    ["PASSWORD", "it is ⟦call_HGlPpgnYhMrrrehhXMJtBBHn⟧"],
    ["PERSON", "Ask ⟦Ann Lee⟧, the shop opens at 8"],
  ])("%s in %j", (kind, text) => expect(isPublic(kind, text)).toBe(false))
})
