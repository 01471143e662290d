import { describe, expect, test } from "vitest"
import { keepPrivate } from "../../../../ts/plugins/_shared/personal-data/private-persons.ts"

/** What counts of the parts between brackets, which are names, and of those between braces, which are ages. */
function kept(marked: string): readonly string[] {
  const text = marked.replaceAll(/[[\]{}]/g, "")
  const found = [...marked.matchAll(/[[{]([^\]}]*)[\]}]/g)].map(({ 0: all, 1: part = "", index }, place) => {
    const start = index - 2 * place
    return { kind: all.startsWith("[") ? "PERSON" : "AGE", start, end: start + part.length, probability: 0.99 }
  })
  return keepPrivate(text, found).map(({ start, end }) => text.slice(start, end))
}

test.each([
  ["Write a referral letter for my patient [Anselm Reuter], type 2 diabetes since 2014", "Anselm Reuter"],
  ["Write a note about one of our tenants, [Hugo Brandl]", "Hugo Brandl"],
  ["Write an invitation for my mother-in-law [Ann Lee]", "Ann Lee"],
  ["Summarise the notes on our new trainee [Ann Lee]", "Ann Lee"],
  ["Write a text about [Ann Lee], one of our tutors", "Ann Lee"],
  ["Write a text about [Ann Lee], a neighbour of mine", "Ann Lee"],
  ["Draft an email to all staff that [Rosalind Okafor] is on sick leave with depression", "Rosalind Okafor"],
  ["Write a plan for the time when [Rosalind Okafor] is on parental leave", "Rosalind Okafor"],
  ["Draft an email to our team: [Rosalind Okafor] was arrested for fraud", "Rosalind Okafor"],
  ["List the side effects for Mrs [Thistlewood] who takes warfarin and is pregnant", "Thistlewood"],
  ["Summarise: [Rosalind Okafor] was convicted of fraud in 2019 and owes us 4,200 EUR", "Rosalind Okafor"],
  ["Write a bio of [Ann Lee], who works for us since May", "Ann Lee"],
  ["Write a speech, because we have to dismiss [Hugo Brandl]", "Hugo Brandl"],
  ["Write a termination letter for [Hugo Brandl] because of theft", "Hugo Brandl"],
  ["Write a letter of recommendation for Ms. [Lee]", "Lee"],
  ["Write a reference for [John Whitfield], {44} years old", "John Whitfield", "44"],
  ["Draft a performance review for [John Whitfield]", "John Whitfield"],
  ["[Solène Garrigue] a appelé, rappelez-la", "Solène Garrigue"],
  ["[Ann Lee] (ann@lee.dev) called", "Ann Lee"],
  ["Write a reply for [Ann Lee] (+49 30 901820)", "Ann Lee"],
  ["Corrige les fautes : Bonjour Madame [Delphine Garrigues], je vous confirme", "Delphine Garrigues"],
  ["Bitte korrigiere: Sehr geehrte Frau [Lee], anbei", "Lee"],
  ["Categorise these: PAYMENT 48,90, account holder [Corvin Hollerbach]", "Corvin Hollerbach"],
  ["The flat is 1600 m² and [Ann Lee] rents it. In 1600 words: she pays late.", "Ann Lee"],
  ["[Ann Lee] 2020 and later, and her files", "Ann Lee"],
  ["Schreibe eine Abmahnung für meinen Mitarbeiter [Jürgen Schneider]", "Jürgen Schneider"],
  ["Schreibe eine Abmahnung an [Jürgen Schneider]", "Jürgen Schneider"],
  ["Formuliere um: Das Gehalt von [Jürgen Schneider] beträgt 4500 Euro", "Jürgen Schneider"],
  ["Fasse zusammen: Unsere neue Kollegin [Anna Huber] kommt", "Anna Huber"],
  ["Schreibe allen: [Anna Huber] ist seit Montag krankgeschrieben", "Anna Huber"],
  ["Fasse zusammen: Patientin [Anna Huber] klagt über Schmerzen", "Anna Huber"],
  ["Rédige un mail pour mon employé [Jean Dupuis]", "Jean Dupuis"],
  ["Rédige une lettre de licenciement pour [Jean Dupuis]", "Jean Dupuis"],
  ["Corrige : le salaire de [Jean Dupuis] est de 3000 euros", "Jean Dupuis"],
  ["Écris que [Jean Dupuis] est en arrêt maladie", "Jean Dupuis"],
  ["Escribe una carta para mi empleado [Javier Molina]", "Javier Molina"],
  ["Corrige: el sueldo de [Javier Molina] es de 2000 euros", "Javier Molina"],
  ["Escribe que [Javier Molina] está de baja médica", "Javier Molina"],
  ["Scrivi una lettera per il mio dipendente [Marco Bianchi]", "Marco Bianchi"],
  ["Scrivi una lettera di richiamo per [Marco Bianchi]", "Marco Bianchi"],
  ["Escreva uma carta para o meu funcionário [João Pereira]", "João Pereira"],
  ["Corrija: o salário do [João Pereira] subiu", "João Pereira"],
  ["Schrijf een brief voor mijn medewerker [Jan de Vries]", "Jan de Vries"],
  ["Schrijf een ontslagbrief voor [Jan de Vries]", "Jan de Vries"],
  ["Schreibe einen Brief. Mein Name ist [Anna Huber].", "Anna Huber"],
  ["De huurder Piet [Jansen] betaalt niet. Schrijf een aanmaning.", "Jansen"],
  ["Name;Abteilung\n[Huber];Vertrieb", "Huber"],
  ["Teilnehmer: [Huber], Schmidt, Maier", "Huber"],
  ["Attendees:\n- [Karen]\n- Bob\n- Alice", "Karen"],
  ["id,last,first,mail\n1,[Haddad],Rania,x", "Haddad"],
  ["[Karen Hughes], Bob Miller", "Karen Hughes"],
  ["[Huber] hat heute angerufen", "Huber"],
])("with whom the writer deals counts in %j", (marked, ...expected) => expect(kept(marked)).toEqual(expected))

describe("nobody counts", () => {
  test.each([
    "Write an essay about [Rosa Parks]",
    "The effect is known since [Oke] (1982) and was measured by [Lewis] et al., then by [Khattab] & Zaharia 2020.",
    "[Dvořák] came to New York in September 1892 and stayed, aged {51}",
    "# Chapter Twelve\n\n[Tomasz Wrona] had three passports and none of them was his.",
    "Vielen Dank. Bitte schreibe einen Text über [Angela Merkel].",
    "[Marie Curie] (born Maria Skłodowska, 7 November 1867 in Warsaw) was a physicist.",
    "[Gutenberg] (died 3 February 1468 in Mainz) made books.",
    "[Hugo], né le 26 février 1802 à Besançon, est un poète.",
    "Bonjour. Rédigez un texte sur [Simone Veil].",
    "Hola. Escribe un texto sobre [Rafael Nadal].",
    "The programme note: [Seidl] conducted. And make two questions of it.",
    "The theme is by [Jan T. Sott] (https://github.com/idleberg)",
    "Summarise: [Merkel] said on Monday that the talks failed",
    "Translate: [Einstein] was born in 1879",
    "How is it that [Elvis] died of a heart attack?",
    "Write a letter to [Abraham Lincoln] about freedom",
    "Write a letter from [Romeo] to [Juliet]",
    "Write a story about [Max], who is {12} years old",
    "Summarise: Mr. [Trump] was convicted of fraud",
    "Summarise: [Anna Kowalska] was dismissed in March",
    "Tell me how [Lance Armstrong] was treated for cancer",
    "Write my essay on why [Nixon] resigned",
    "Explain how our planet was seen by [Carl Sagan]",
    "Write about the team of [Alex Ferguson] and the injured players",
    "Write a poem with references to [Shakespeare]",
    "Which page is a good reference for [Shakespeare] plays?",
    "List works for [Ella Fitzgerald] that tell us of love",
    "Erzeuge ein JSON mit drei [Beispielartikel].",
    "Generiere Testdaten über [Angela Merkel]",
    "Wandle das um: [Angela Merkel]",
    "Mach mir eine Tabelle über [Angela Merkel]",
    "Hier ist ein Text über [Angela Merkel]. Bewerten Sie ihn.",
    "Könntest du mir etwas über [Angela Merkel] erzählen",
    "Was hat [Angela Merkel] studiert",
    "Trouve trois faits sur [Simone Veil].",
    "Fais un résumé sur [Simone Veil]",
    "Peux-tu m'aider avec [Simone Veil]",
    "Genera una lista de libros de [Rafael Nadal]",
    "Scrivi un testo su [Sophia Loren]",
    "Crie um texto sobre [Pelé Santos]",
    "Schrijf een tekst over [Johan Cruijff]",
    "Schreibe über das Konto von [Goethe]",
    "Erzähle vom Vertrag mit [Faust]",
    "Escribe sobre el cine bajo la dirección de [Pedro Almodóvar]",
    "[Schraube], Mutter, Bolzen",
    "[Artikel];Menge;Preis\nSchraube;100;0,05",
    "Artikel;Menge;Preis\n[Schraube];100;0,05",
    "| Artikel | Menge |\n|---|---|\n| [Schraube] | 100 |",
    "name,price\n[Hammer],5",
    "[Plantilla]: Portero, Defensa, Delantero",
    "Fasse zusammen: Mein Nachbar hat [Angela Merkel] getroffen",
    "Zutaten: [Mehl], Zucker, Butter",
    "- [Milch]\n- Butter\n- Brot",
  ])("in %j", (marked) => expect(kept(marked)).toEqual([]))
})

test("a word alone in JSON is a name where its key says so", () => {
  const cases = [
    ['{"Artikel": "Schraube", "Menge": 100}', "Schraube", 0],
    ['{"Zutaten": ["Milch", "Mehl"]}', "Mehl", 0],
    ['{"assignee": "Karen", "points": 3}', "Karen", 1],
    ['{"firstName": "Karen"}', "Karen", 1],
    ['{"article": "Karen Hughes"}', "Karen Hughes", 1],
  ] as const
  for (const [text, name, count] of cases) {
    const start = text.indexOf(name)
    const found = keepPrivate(text, [{ kind: "PERSON", start, end: start + name.length, probability: 0.9 }])
    expect([text, found.length]).toEqual([text, count])
  }
})
