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
    ["PHONE_NUMBER", "Café Blau, ⟦030 901820⟧. Closed Mondays"],
    ["PHONE_NUMBER", "The archive is open 9-17, phone ⟦030 901820⟧"],
    ["PHONE_NUMBER", "The gallery opens at 9:30am. Contact Visitor Services on ⟦020 7946 0958⟧"],
    ["PHONE_NUMBER", '{"telephone": "⟦030 901820⟧", "openingHours": "see page"}'],
    ["PHONE_NUMBER", "Library ⟦030 901820⟧, Monday through Friday 10am to 6pm"],
    ["PHONE_NUMBER", "Zoo: Mo–Fr 8–18 Uhr, Tel. ⟦030 901820⟧"],
    ["ID", "Blumen Roth, USt-IdNr.: ⟦DE811907980⟧"],
    ["ID", "VAT registration number ⟦GB 980 7806 84⟧"],
    ["ID", "our EORI is ⟦DE4810923⟧"],
    ["ID", "N° TVA intracommunautaire: ⟦FR40303265045⟧"],
    ["ID", "Handelsregister ⟦HRB 20411⟧"],
    ["ID", "arn:aws:iam::role/deploy, account ⟦481092377120⟧"],
    ["ID", "in our AWS account ⟦481092377120⟧"],
    ["USERNAME", "username: ⟦postgres⟧"],
    ["USERNAME", "ssh ⟦ec2-user⟧"],
    ["USERNAME", "User: ⟦www-data⟧"],
    ["USERNAME", "login ⟦ubuntu@10.0.0.5⟧"],
    ["USERNAME", "user ⟦/home/jenkins⟧"],
    ["USERNAME", "account ⟦guest01⟧"],
    ["IP_ADDRESS", "⟦192.88.99.0⟧/24"],
    ["IP_ADDRESS", "parse('⟦2001:470::⟧'), 32"],
    ["STREET_ADDRESS", "write to the Free Software\n# Foundation, Inc., ⟦51 Franklin St, Fifth Floor, Boston⟧"],
    ["EMAIL_ADDRESS", "'mailto:⟦John.Doe@example.com⟧'"],
    ["EMAIL_ADDRESS", "to ⟦info%40acme.com⟧"],
    ["EMAIL_ADDRESS", "to ⟦support&#64;acme.com⟧"],
    ["EMAIL_ADDRESS", "_SUFFIX = '⟦cert-v01@openssh.com⟧'"],
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
    ["PHONE_NUMBER", "The claim was closed on 12 June. Contact Ann Lee at ⟦030 901820⟧"],
    ["PHONE_NUMBER", "The ticket was closed on Friday. Ann Lee, ⟦030 901820⟧"],
    ["PHONE_NUMBER", "The share closed at 12.50 EUR. Ann Lee: ⟦030 901820⟧"],
    ["PHONE_NUMBER", "The course opens at 20 points. Ann Lee: ⟦030 901820⟧"],
    ["PHONE_NUMBER", "The counter opens at 9am, ring Ann Lee on ⟦030 901820⟧"],
    ["PHONE_NUMBER", "Call me during opening hours, ⟦030 901820⟧"],
    ["PHONE_NUMBER", "Das Ticket wurde geöffnet. Ann Lee, ⟦030 901820⟧"],
    ["PHONE_NUMBER", "Sie nimmt täglich 2 Tabletten. Ann Lee, ⟦030 901820⟧"],
    ["PHONE_NUMBER", "J'ai ouvert le dossier le 3 mai. Ann Lee, ⟦01 48 93 75 12⟧"],
    ["USERNAME", "message ⟦call_me_maybe⟧"],
    ["USERNAME", "ask ⟦run_ann7⟧"],
    ["PASSWORD", "it is ⟦call_HGlPpgnYhMrrrehhXMJtBBHn⟧"],
    ["PERSON", "Ask ⟦Ann Lee⟧, the shop opens at 8"],
    ["ID", "Steuer-ID ⟦86 095 742 719⟧"],
    ["ID", "tax number ⟦481/0923/7712⟧"],
    ["ID", "The laws say that my account is ⟦481092377120⟧"],
    ["ID", "AWS badge number ⟦4810923⟧"],
    ["ID", "our VAT officer has badge ⟦4810923⟧"],
    ["ID", "Steuer-ID: ich habe nur ein ⟦86 095 742 719⟧"],
    ["ID", "user record uid: ⟦4810923⟧"],
    ["ID", "My passport number, btw: ⟦C01X00T47⟧"],
    ["PHONE_NUMBER", "VAT ⟦030 901820⟧"],
    ["USERNAME", "username: ⟦lily.ross⟧"],
    ["USERNAME", "username: ⟦postgresfan88x⟧"],
    ["IP_ADDRESS", "⟦192.88.99.7⟧/24"],
    ["STREET_ADDRESS", "the Foundation, ⟦51 Franklin St, Boston⟧"],
    ["EMAIL_ADDRESS", "to ⟦jane.roe%40acme.com⟧"],
  ])("%s in %j", (kind, text) => expect(isPublic(kind, text)).toBe(false))
})
