import { describe, expect, test } from "vitest"
import { toFindings } from "../../../../ts/plugins/_shared/personal-data/built-in-model.ts"

/** What is found, as `KIND text`, where the model marks the parts between brackets as the labels say, one after the other. */
function found(marked: string, labels: string, probability = 0.99): readonly string[] {
  const text = marked.replaceAll(/[[\]]/g, "")
  const kinds = labels.split(" ")
  const spans = [...marked.matchAll(/\[([^\]]*)\]/g)].map(({ 1: part = "", index }, place) => {
    const start = index - 2 * place
    return { label: kinds[place] ?? "", start, end: start + part.length, probability }
  })
  return toFindings(text, spans).map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`)
}

describe("names", () => {
  test.each([
    ["I met [Ann Lee].", "PERSON Ann Lee"],
    ["[Mike and Joe] won", "PERSON Mike", "PERSON Joe"],
    ["[. Huang], come", "PERSON Huang"],
    ["[Bożena Wójcik\nKineovia]", "PERSON Bożena Wójcik", "PERSON Kineovia"],
    ["in 's-[Hertogenbosch]", "PERSON s-Hertogenbosch"],
    ["[Ann]'s car", "PERSON Ann"],
    ["[ann lee] is here", "PERSON ann lee"],
    ["the font of [Ann Lee]", "PERSON Ann Lee"],
    ["Let me know: [Nemanja] comes", "PERSON Nemanja"],
    ["x = 5; selling my bike, text [Takashi] at noon", "PERSON Takashi"],
    ["written by [McDonald] and sold by DeVito", "PERSON McDonald"],
    ['const owner = "[Karen]";', "PERSON Karen"],
    ["f(x) // ask [Karen]", "PERSON Karen"],
  ])("in %j are whole words on one line", (marked, ...names) => expect(found(marked, "PERSON")).toEqual(names))

  test.each([
    "What is [2 + 2]?",
    "The end[.]",
    "如何[评]估一个系统",
    "[使用] Python",
    "sku[DescList] = 4, Ann",
    "`[skuDescList]`",
    "dr[_]smith",
    "user [Ann]_4",
    "The [pista] is long",
    "[Emma had spent a whole hour building a castle] there",
    "[A] B",
    "[Claude Code] crashed",
    "Ask [Siri]",
    "[Проверь] текст",
    "Да. [Переведи] слово",
    "body { font-family: [Verdana], sans-serif }",
    "import { [Karten] } from './karten'; export class Deck { constructor(public karten: Karten) {} }",
    "export class Deck { constructor(public karten: [Karten]) {} }",
    "from pygments.lexer import [Lexer]",
    "SELECT [Bezeichnung], Menge FROM Lager",
    "  client: [Anthropic];",
    "username: [varchar]",
    "get value out of [LangSmith] here",
    "// File generated from our OpenAPI spec by [Castiron].",
    "npm install deno\n\n[Deno] can import it",
    "return `[Твърде малко]: ${x}`",
    "return `[Angka tidak] valid`",
    '{"[Artikel]": 5}',
    "fontFamily: 'Arial, [Helvetica]'",
  ])("are none in %j", (marked) => expect(found(marked, "PERSON")).toEqual([]))
})

describe("values", () => {
  test.each([
    ["USERNAME", "login [kpatel_]77, please", "kpatel_77"],
    ["USERNAME", "signed in as [jane_doe]", "jane_doe"],
    ["USERNAME", "my handle: [skyWalker]", "skyWalker"],
    ["AGE", "she is [34]. In March", "34"],
    ["AGE", "aged [80] may", "80"],
    ["AGE", "Anna, [34] m", "34"],
    ["AGE", "sie ist [34]. Mai war schön", "34"],
    ["AGE", "aged [4],6 and 9", "4"],
    ["USERNAME", "sold by [motos_baratas]", "motos_baratas"],
    ["USERNAME", "author: [johnSmith]", "johnSmith"],
    ["USERNAME", "user: [JOHN_DOE]", "JOHN_DOE"],
    ["USERNAME", "ask [malee_w68] first", "malee_w68"],
    ["USERNAME", '"user_id": "[malee_w68]"', "malee_w68"],
    ["USERNAME", "[jane_doe] is my username", "jane_doe"],
    ["USERNAME", "the account `[jane_doe]` is locked", "jane_doe"],
    ["USERNAME", "login [xX_Brotfan_Xx], please", "xX_Brotfan_Xx"],
    ["USERNAME", "ask [@jane_doe]", "@jane_doe"],
    ["USERNAME", "in /home/accounts/of-the-office/people/[jane_doe]", "/home/accounts/of-the-office/people/jane_doe"],
    ["PASSWORD", "password [Tr0ub]4dor&3 is old", "Tr0ub4dor&3"],
    ["PASSWORD", "password '[Root2024]$Secure'", "Root2024$Secure"],
    ["ID", "policy POL[-83467924].", "POL-83467924"],
    ["ID", "employee id [264790]", "264790"],
    ["US_DRIVER_LICENSE", "licence A287-[7270]-8685", "A287-7270-8685"],
  ])("of the kind %s in %j have no space and lack nothing", (label, marked, value) =>
    expect(found(marked, label)).toEqual([`${label} ${value}`]),
  )

  test.each([
    ["ID", "in [1844] the town"],
    ["ID", "of 27 [- 284] Diocletian"],
    ["ID", "[account]"],
    ["USERNAME", "the [_] sign"],
    ["USERNAME", "row [4411]"],
    ["USERNAME", "the option [forceGlobalAgent] of it"],
    ["USERNAME", 'resource "[aws_s3_bucket]" "logs" {}'],
    ["USERNAME", 'index on "[LiteLLM_DeletedTeamTable]"'],
    ["USERNAME", "if (n < [KARATSUBA]_CUTOFF) return"],
    ["USERNAME", "set $[DEBCONF_REDIR] there"],
    ["USERNAME", '{"id": "[evt_aryeio17]"}'],
    ["USERNAME", "create [cus_NffrFeUfNV2Hib] with it"],
    ["USERNAME", "configure [AKIAIOSFODNN7EXAMPLE] first"],
    ["USERNAME", '"@jridgewell/[trace-mapping]": "0.3.31"'],
    ["USERNAME", '"node_modules/@[jridgewell]/trace-mapping": {'],
    ["USERNAME", "npm install [@acme]/web@^2.1.0"],
    ["USERNAME", 'location = "[westeurope]"'],
    ["USERNAME", "[^4c0ffee1] (core-team 2019-06-02)"],
    ["USERNAME", "betas?: Array<[BetaAPI].AnthropicBeta>"],
    ["USERNAME", "budget: [serde_saphyr]::budget!"],
    ["USERNAME", "see [pygments.lexers.ezhil] there"],
    ["USERNAME", "the user [i.e]. one"],
    ["USERNAME", "the account: [fields?.azureADTokenProvider] ?? x"],
    ["USERNAME", "user of [options.lookupFromPathIndex] here"],
    ["USERNAME", "private [_embedOrigins]; login"],
    ["USERNAME", "account provider: [k8sServiceAccountTokenProvider]('/x')"],
    ["USERNAME", "headers({ '[anthropic-beta]': betas }) user"],
    ["USERNAME", "id: 'anthropic.[advisor_20260301]'"],
    ["USERNAME", 'model.id = nanoid() //=> "[V1StGXR8_Z5jdHi6B]-myT"'],
    ["USERNAME", "takes the values `[chat_cowork_unified]` or"],
    ["USERNAME", "the user has [user_email] and"],
    ["USERNAME", "user_name [varchar]"],
    ["USERNAME", "AAkGBxITEhUSEh[MVFhUXFxoYFx]gYGBcXGBcYHRgYFxcYGBoaHSggGBolHRcX"],
    ["ID", "sha512-[R8gLRTZeyp03ymzP6Lil28tGeGEz]hjMRaOmFLfC6tMsh4yXb4AsV2Q4w=="],
    ["AGE", "am [14]. März geschlossen"],
    ["AGE", "el [5] de mayo"],
    ["AGE", "mehr als [80] cm Umfang"],
    ["AGE", "at [12]:30 sharp"],
    ["PASSWORD", "the [pin]"],
  ])("of the kind %s are none in %j", (label, marked) => expect(found(marked, label)).toEqual([]))

  test("are none where brackets are of Markdown or of a pattern", () => {
    const cases = [
      ["[packagephobia-href]: https://packagephobia.com/user", "packagephobia-href"],
      ["![user][packagephobia-s-alt-href]", "packagephobia-s-alt-href"],
      ["user r'%[egimosx]*'", "egimosx"],
    ] as const
    for (const [text, word] of cases) {
      const start = text.indexOf(word)
      expect([
        text,
        ...toFindings(text, [{ label: "USERNAME", start, end: start + word.length, probability: 0.99 }]),
      ]).toEqual([text])
    }
  })

  test("have the kind that the model is surest of", () => {
    const text = "api user x with pw Dragon6169"
    const span = { start: 19, end: 29 }
    const spans = [
      { label: "USERNAME", start: 19, end: 25, probability: 0.7 },
      { label: "PASSWORD", start: 25, end: 29, probability: 0.9 },
    ]
    expect(toFindings(text, spans)).toEqual([{ kind: "PASSWORD", ...span, probability: 0.9 }])
  })
})

describe("addresses", () => {
  test.each([
    ["to [12 Church Lane], [Norwich], [DU50 8JA]", "STREET_ADDRESS LOCATION ZIP", "12 Church Lane, Norwich, DU50 8JA"],
    ["to [Fang Shirazi, 105 Orchard Way, Norwich].", "STREET_ADDRESS", "105 Orchard Way, Norwich"],
    ["at 21 [Kungsgatan], [Daejeon 65513]", "STREET_ADDRESS LOCATION", "21 Kungsgatan, Daejeon 65513"],
    [
      "to [74 Diakou Street]\n Suite 680\n [Kissousa]",
      "STREET_ADDRESS LOCATION",
      "74 Diakou Street\n Suite 680\n Kissousa",
    ],
    ["[Am Kirchberg 8, Dijon\nT] 030 901820", "STREET_ADDRESS", "Am Kirchberg 8, Dijon"],
    ["Ann,[12 Church Lane,Norwich,DU50 8JA]", "STREET_ADDRESS", "12 Church Lane,Norwich,DU50 8JA"],
    ["Ann;[Hauptstraße;8;04103;Leipzig]", "STREET_ADDRESS", "Hauptstraße;8;04103;Leipzig"],
    ["at [76 Boulevard] [de Normandie].", "STREET_ADDRESS LOCATION", "76 Boulevard de Normandie"],
    ["[Travessa do Sol, 41, casa 2, Recife]", "STREET_ADDRESS", "Travessa do Sol, 41, casa 2, Recife"],
    ["[Paseo de Gracia, 1412, Zona Norte]", "STREET_ADDRESS", "Paseo de Gracia, 1412, Zona Norte"],
    ["[Cuesta Blanca, 9, Toledo]", "STREET_ADDRESS", "Cuesta Blanca, 9, Toledo"],
    ["[Ann Lane, 12 Church Road, Leeds]", "STREET_ADDRESS", "12 Church Road, Leeds"],
    ["[Uwe Roth, 04103 Leipzig]", "STREET_ADDRESS", "04103 Leipzig"],
    ["moro na rua [das Acácias, 77, Recife]", "STREET_ADDRESS", "rua das Acácias, 77, Recife"],
    ["Viale [Monza 12, Milano, è la mia casa]", "STREET_ADDRESS", "Viale Monza 12, Milano"],
    ["Am [Neuen Graben 7b, 04103 Leipzig]", "STREET_ADDRESS", "Am Neuen Graben 7b, 04103 Leipzig"],
    ["sie wohnt Auf der [Hofstraße 3, Bonn]", "STREET_ADDRESS", "Auf der Hofstraße 3, Bonn"],
    ["In der [Hofstraße 3, Bonn]", "STREET_ADDRESS", "Hofstraße 3, Bonn"],
    ["ich wohne am [Kanal 7, Leer]", "STREET_ADDRESS", "Kanal 7, Leer"],
    ["[Hofstr. 3, 53111 Bonn, abends] 1 Kapsel", "STREET_ADDRESS", "Hofstr. 3, 53111 Bonn"],
    ["[12 Elm Street, Leeds, please come] by", "STREET_ADDRESS", "12 Elm Street, Leeds"],
    ["[12 Elm Street, leeds]", "STREET_ADDRESS", "12 Elm Street, leeds"],
    ["[12 Elm Street, flat 3]", "STREET_ADDRESS", "12 Elm Street, flat 3"],
    ["wir treffen uns [Zum Anger 8], 20 Minuten von hier", "STREET_ADDRESS", "Zum Anger 8"],
    ["[Kanalstraße 7, 3 Monate]", "STREET_ADDRESS", "Kanalstraße 7, 3 Monate"],
    ["[12 elm street, leeds, opposite the old mill]", "STREET_ADDRESS", "12 elm street, leeds, opposite the old mill"],
  ])("in %j are one with town and code", (marked, labels, address) =>
    expect(found(marked, labels)).toEqual([`STREET_ADDRESS ${address}`]),
  )

  test.each([
    "[North] Street",
    "about [oh oh]",
    "[14]",
    "[Samstag 9] bis 13 Uhr",
    "a [las 5 de la] mañana",
    "([Zimmer 12, Mo]–Do)",
    "ab [60 EUR frei, Österreich 8,90 EUR]",
    "[Peru,Lima,33000000\nChile,Santiago,19000000]",
    "wine,region,price\n[Barolo,Piedmont,45\nRioja,La Rioja,18]",
    "[France\tParis\t68000000\nJapan\tTokyo]\t124000000",
    "Tornillo;100;0,[05\nTuerca];20;1",
    "Le [canapé coûte 899 €, la table 249 €, livraison sous 14 jours].",
    "Sofa [kosztuje 899 zł, stół 249 zł, dostawa w 14 dni].",
    "[Größe 42, Farbe blau, Artikel 8812, Preis 39],90 Euro.",
    "[lascia riposare 10 minuti]",
    "[la mesa 249 euros], entrega",
    "Der Druck [liegt bei 0,8 bar].",
    "geöffnet [ab dem 21]. Juli",
    "bei [220 Arbeitstage, 34] km",
    "[GBP 4,200] a month",
  ])("are none in %j", (marked) => expect(found(marked, "STREET_ADDRESS")).toEqual([]))

  test("leave towns alone that stand apart", () =>
    expect(found("from [Norwich] to [12 Church Lane]", "LOCATION STREET_ADDRESS")).toEqual([
      "STREET_ADDRESS 12 Church Lane",
      "GPE Norwich",
    ]))
})

test("a date is one of birth where the text says so", () => {
  expect(found("born on [5 May 1980]", "DATE_TIME")).toEqual(["BIRTH_DATE 5 May 1980"])
  expect(found("DOB: [1980-05-05]", "DATE_TIME")).toEqual(["BIRTH_DATE 1980-05-05"])
  expect(found("né le [26] février 1802 à Besançon", "BIRTH_DATE")).toEqual([])
  expect(found("due on [5 May 2030]", "DATE_TIME")).toEqual(["DATE_TIME 5 May 2030"])
  expect(found("she was born [yesterday]", "DATE_TIME")).toEqual(["DATE_TIME yesterday"])
})

test("a date of birth is a whole one, whatever part of it is marked", () => {
  const cases = [
    ["né le [26] février 1982 à Besançon", "26 février 1982"],
    ["Jonas, born [03].[09].[1979], allergic", "03.09.1979"],
    ["born on [the 3rd of September, 1979].", "3rd of September, 1979"],
    ["DOB: 1979-[09]-03", "1979-09-03"],
    ["urodzona [3 września] 1979", "3 września 1979"],
    ["born in [1979]", "1979"],
  ] as const
  for (const [text, date] of cases)
    expect([text, ...found(text, "DATE_TIME DATE_TIME DATE_TIME")]).toEqual([text, `BIRTH_DATE ${date}`])
  expect(found("paid on 03.[09].2019", "DATE_TIME")).toEqual(["DATE_TIME 09"])
})

test("kinds with a form are left to patterns", () => {
  for (const label of ["PHONE", "EMAIL", "IP", "URL", "CREDIT_CARD", "IBAN", "US_SSN"])
    expect(found("[What is 2 + 2?]", label)).toEqual([])
})

test("a kind counts from its own point on", () => {
  expect(found("[Ann] is here", "PERSON", 0.5)).toEqual([])
  expect(found("[Ann] is here", "PERSON", 0.8)).toEqual(["PERSON Ann"])
})

test("a name counts sooner behind a title or a relation", () => {
  const cases = ["Mme [Garrigue] a appelé", "Frau [Huber] kommt", "for my patient [Anselm Reuter], born"]
  for (const text of cases) expect([text, found(text, "PERSON", 0.42).length]).toEqual([text, 1])
  expect(found("I miss [Paris]", "PERSON", 0.42)).toEqual([])
})

test("a birth date is that of somebody who may live", () => {
  expect(found("she was born on [14 May 1991]", "DATE_TIME")).toEqual(["BIRTH_DATE 14 May 1991"])
  expect(found("he was born on [14 March 1879]", "DATE_TIME")).toEqual([])
  expect(found("Date of birth: [1769-08-15]", "DATE_OF_BIRTH")).toEqual([])
  expect(found("Date of birth: [15.08.69]", "DATE_OF_BIRTH")).toEqual(["BIRTH_DATE 15.08.69"])
})

test("a verb with its object at the beginning of a sentence is no name", () => {
  for (const text of ["[Lösch] alle Dateien", "Gut. [Trova] una ricetta", "[hol mich] ab", "[Ordena] los libros"])
    expect([text, ...found(text, "PERSON")]).toEqual([text])
  for (const text of ["[Lore] kommt heute", "[Anna] hat alle Dateien", "mit [Lore] die Stadt", "[Pilar de] los Ríos"])
    expect([text, found(text, "PERSON").length]).toEqual([text, 1])
})

test("a name in other letters is one where it does not begin a sentence, or has two words", () => {
  expect(found("Спросите [Анну]", "PERSON")).toEqual(["PERSON Анну"])
  expect(found("[Анна Петрова] пришла", "PERSON")).toEqual(["PERSON Анна Петрова"])
})
