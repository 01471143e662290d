import type { Fact } from "rtr"
import { readerOf, signalContract } from "rtr/testing"
import { Value } from "typebox/value"
import { describe, expect, test } from "vitest"
import signal from "../../../ts/plugins/signals/language.ts"

const rules = [{ name: "en" }, { name: "de", threshold: 0.4 }, { name: "zh" }]

describe("contract", () => {
  for (const { name, run } of signalContract(signal, {
    rules,
    invalidRules: [{ name: "xx" }, { name: "EN" }, { name: "eng" }],
  }))
    test(name, run)
})

type Rule = (typeof rules)[number]
const read = async (text: string, given: readonly Rule[] = rules): Promise<readonly Fact[]> =>
  (await readerOf(signal as never, { rules: given as never }))(text)
const matching = async (text: string, given?: readonly Rule[]): Promise<readonly string[]> =>
  (await read(text, given)).flatMap(({ rule, state }) => (state === "match" ? [rule] : []))

const everyLanguage = ["en", "de", "fr", "es", "ru", "zh", "ja", "ko", "ar"].map((name) => ({ name }))

test.each([
  ["en", "Could you please explain how the weather changes during the winter months?"],
  ["de", "Könnten Sie mir bitte erklären, wie sich das Wetter im Winter verändert?"],
  ["fr", "Pourriez-vous m'expliquer comment le temps change pendant les mois d'hiver ?"],
  ["es", "¿Podría explicarme cómo cambia el tiempo durante los meses de invierno?"],
  ["ru", "Не могли бы вы объяснить, как меняется погода зимой?"],
  ["zh", "请问冬天的天气会怎么变化？我想了解一下。"],
  ["ja", "冬の間に天気がどのように変わるか説明していただけますか。"],
  ["ko", "겨울철 날씨가 어떻게 변하는지 설명해 주시겠어요?"],
  ["ar", "هل يمكنك أن تشرح كيف يتغير الطقس خلال أشهر الشتاء؟"],
])("%s is recognised, and only it", async (code, text) => expect(await matching(text, everyLanguage)).toEqual([code]))

test("a match is certain, and its number is how sure the detector is", async () => {
  const facts = await read("Could you please explain how the weather changes during the winter months?")
  expect(facts).toEqual([
    { rule: "en", state: "match", confidence: 1, value: expect.any(Number) },
    { rule: "de", state: "no_match", confidence: 0, value: 0 },
    { rule: "zh", state: "no_match", confidence: 0, value: 0 },
  ])
  expect(facts[0]?.value).toBeGreaterThan(0.3)
  expect(facts[0]?.value).toBeLessThan(1)
})

describe("text in no language", () => {
  const unseen = ["", "   ", "12345 67890", "!!! ... ???", "\n"]

  test.each(unseen)("%j counts as English", async (text) => {
    expect((await read(text))[0]).toEqual({ rule: "en", state: "match", confidence: 1, value: 0.5 })
  })

  test.each([
    [0.5, "match"],
    [0.51, "no_match"],
  ])("counts as English with half a confidence: a threshold of %d says %s", async (threshold, state) => {
    expect((await read("12345", [{ name: "en", threshold }]))[0]?.state).toBe(state)
  })

  test.each(unseen)("%j counts as no other language", async (text) => {
    expect(
      await matching(
        text,
        everyLanguage.filter(({ name }) => name !== "en"),
      ),
    ).toEqual([])
  })
})

describe("thresholds", () => {
  const german = "Könnten Sie mir bitte erklären, wie sich das Wetter im Winter verändert?"

  test("of a rule hold for it", async () => {
    const [sure] = await read(german, [{ name: "de" }])
    const confidence = sure?.value ?? 0
    expect(await matching(german, [{ name: "de", threshold: confidence }])).toEqual(["de"])
    expect(await matching(german, [{ name: "de", threshold: Math.min(1, confidence + 0.01) }])).toEqual([])
  })

  test("that none reaches make the text count as English", async () => {
    expect(
      await matching(german, [
        { name: "de", threshold: 1 },
        { name: "en", threshold: 1 },
      ]),
    ).toEqual([])
    expect(await matching("hm", [{ name: "en" }])).toEqual(["en"])
  })
})

test("only the beginning of a long text is read", async () => {
  const german = "Könnten Sie mir bitte erklären, wie sich das Wetter im Winter verändert? "
  const english = "Could you please explain how the weather changes during the winter? "
  expect(await matching(german.repeat(60) + english.repeat(600), everyLanguage)).toEqual(["de"])
})

test.each([
  [{}, true],
  [{ threshold: 0 }, true],
  [{ threshold: 1 }, true],
  [{ threshold: 1.1 }, false],
  [{ threshold: "0.5" }, false],
])("options %j are valid: %s", (options, valid) => expect(Value.Check(signal.rule, options)).toBe(valid))

test("every code that a rule may have is one that the detector knows", async () => {
  const { eld } = await import("eld/small")
  const known = Object.values(eld.info().Languages)
  const reported: string[] = []
  signal.check?.([{ name: "?" }], (_, message) => reported.push(message))
  const codes = (reported[0]?.split("language codes ")[1] ?? "").split(", ")
  expect(codes.length).toBeGreaterThan(50)
  expect(codes.filter((code) => !known.includes(code))).toEqual([])
})

describe("a threshold of 0", () => {
  test("asks for nothing itself, and does not change what others see", async () => {
    const given = [{ name: "de", threshold: 0 }, { name: "en" }]
    expect(await matching("hm", given)).toEqual(["en"])
    expect(await matching("Guten Morgen, wie geht es Ihnen?", given)).toEqual(["de"])
  })
})

describe("a short text", () => {
  test.each([
    ["谢谢", "zh"],
    ["ありがとう", "ja"],
    ["네", "ko"],
    ["Как дела?", "ru"],
  ])("%j is of the most common language of its script: %s", async (text, code) => {
    const slavic = [...everyLanguage, { name: "sr" }, { name: "bg" }]
    expect(await matching(text, slavic)).toEqual([code])
  })
})

describe("a short text of Latin letters", () => {
  test.each([
    "Hello",
    "ok",
    "hi",
    "yes",
    "Hello world",
    "Say hello",
    "Thanks!",
    "Test",
    "test 123",
    "Why?",
    "What is 2 + 2?",
    "Write a poem",
    "Sort a list in Python",
    "More details please",
    "Tell me a joke",
  ])("%j counts as English", async (text) => {
    expect(await matching(text, everyLanguage)).toEqual(["en"])
  })

  test.each([
    ["Guten Morgen, wie geht es Ihnen?", "de"],
    ["你好", "zh"],
    ["нет", "ru"],
  ])("%j has letters or words that tell more", async (text, code) => {
    expect(await matching(text, everyLanguage)).toEqual([code])
  })
})
