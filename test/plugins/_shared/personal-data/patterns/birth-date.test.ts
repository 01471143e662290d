import { expect, test } from "vitest"
import { partsBy } from "../../../../fakes/found-parts.ts"
import { findBirthDates } from "../../../../../ts/plugins/_shared/personal-data/patterns/birth-date.ts"

const found = partsBy(findBirthDates)

test("dates of birth are found whole, behind and before the words that say so", () => {
  const cases = [
    ["Jonas Ott, born 03.09.1979, penicillin", "03.09.1979"],
    ["Ott, Jonas (geb. 3.9.1979), Aachen", "3.9.1979"],
    ["geboren am 3. September 1979 in Aachen", "3. September 1979"],
    ["geb. in Aachen am 03. 09. 1979", "03. 09. 1979"],
    ["er wurde am 03.09.1979 in Aachen geboren", "03.09.1979"],
    ["Jonas Ott *03.09.1979", "03.09.1979"],
    ["Jonas Ott (* 03.09.1979)", "03.09.1979"],
    ["DOB 3 Sep 79", "3 Sep 79"],
    ["date of birth is September 3rd, 1979", "September 3rd, 1979"],
    ["her birthday: 1979/09/03", "1979/09/03"],
    ["Inès, née le 3 septembre 1979 à Lyon", "3 septembre 1979"],
    ["nata a Torino il 3 settembre 1979", "3 settembre 1979"],
    ["nació el 3 de septiembre de 1979", "3 de septiembre de 1979"],
    ["nascida em 03/09/1979", "03/09/1979"],
    ["geboren op 03-09-1979", "03-09-1979"],
    ["urodzony 3 września 1979 r.", "3 września 1979"],
    ["född den 3 september 1979", "3 september 1979"],
    ["родилась 3 сентября 1979", "3 сентября 1979"],
    ["doğum tarihi: 03.09.1979", "03.09.1979"],
    ["生日是1979年9月3日", "1979年9月3日"],
    ["彼は1979年9月3日に生まれた", "1979年9月3日"],
    ["생년월일: 1979년 9월 3일", "1979년 9월 3일"],
  ] as const
  for (const [text, date] of cases) expect([text, ...found(text)]).toEqual([text, date])
})

test("other dates, and those of the dead and of articles, are none", () => {
  const cases = [
    "the invoice of 03.09.2019",
    "reborn 03.09.1979",
    "Born to Run came out on 25 August 1975",
    "he was born November 20, 1942 in Scranton",
    "NATO was founded on 4 April 1949",
    "NATO 04.04.1949",
    "born on 14.03.1879 in Ulm",
    "my birthday is on 03.09.2999",
    "* 03.09.2019 Planung\n* 04.09.2019 Bau",
    "*03.09.2019* release",
    "2*03.09.1979",
    "born in 1979",
    "geb. 3",
    "生产日期：2019年9月3日",
  ] as const
  for (const text of cases) expect([text, ...found(text)]).toEqual([text])
})

test("lines without spaces are read in time in proportion to their length", () => {
  const line = `${"x".repeat(300)}\n2019-03-04T`
  const cpuMs = (text: string): number => {
    const before = process.cpuUsage()
    found(text)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
  cpuMs(line.repeat(100))
  // Once it took more than two seconds.
  expect(cpuMs(line.repeat(1000))).toBeLessThan(1000)
})

test("dates behind the marks of lists and behind single words are none", () => {
  const cases = [
    "Termine:\n* Planung * 12.04.2019\n* Bau * 13.04.2019",
    "- Release, *12.04.2019",
    "Stand *12.04.2019",
    "Montag, * 12.04.2019",
  ]
  for (const text of cases) expect([text, ...found(text)]).toEqual([text])
})
