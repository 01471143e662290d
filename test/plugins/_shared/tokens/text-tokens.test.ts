import { expect, test } from "vitest"
import { textTokens } from "../../../../ts/plugins/_shared/tokens/text-tokens.ts"

/** What gpt-tokenizer 4.0.0 counts with o200k_base. */
const counted: readonly (readonly [what: string, tokens: number, text: string])[] = [
  [
    "English",
    92,
    "The harbour was quiet when the ferry came in. Two porters waited by the gate, and a woman with a bicycle asked whether the last train to the city had already left. Nobody knew for certain. The timetable on the wall was three years old, and somebody had written a telephone number across the columns for the weekend. She decided to cycle along the river instead; it would take an hour, perhaps a little longer if the wind stayed in the west.",
  ],
  [
    "a letter with numbers",
    70,
    "Hi Anna, thanks for the invoice (no. 2024-0117, EUR 1,349.50). I noticed that the shipping costs were charged twice: once on 12 March and again on 2 April. Could you please send a corrected version by Friday? Our accountant needs it for the quarterly report. Best regards, Tom",
  ],
  [
    "TypeScript",
    89,
    `export function createRegistry(modules: readonly Module[]): Registry {
  const byId = new Map(modules.map((module) => [module.id, module]))
  return {
    find(id) {
      const found = byId.get(id)
      if (found === undefined) throw new TypeError(\`No module is called "\${id}"\`)
      return found
    },
    ids: [...byId.keys()].toSorted(),
  }
}
`,
  ],
  [
    "Python",
    92,
    `def moving_average(values, size):
    """Means of each window of so many values."""
    if size < 1:
        raise ValueError(f"size must be at least 1, got {size}")
    total = sum(values[:size])
    averages = [total / size]
    for index in range(size, len(values)):
        total += values[index] - values[index - size]
        averages.append(total / size)
    return averages
`,
  ],
  [
    "SQL",
    80,
    `SELECT customers.name, COUNT(orders.id) AS order_count, SUM(orders.total) AS revenue
FROM customers
LEFT JOIN orders ON orders.customer_id = customers.id AND orders.status = 'paid'
WHERE customers.country IN ('AT', 'CH', 'DE')
GROUP BY customers.name
HAVING SUM(orders.total) > 1000
ORDER BY revenue DESC
LIMIT 20;`,
  ],
  [
    "a tool",
    141,
    '{"type":"function","function":{"name":"search_flights","description":"Finds flights between two airports on a date, the cheapest first","parameters":{"type":"object","properties":{"origin":{"type":"string","description":"IATA code of the airport of departure"},"destination":{"type":"string","description":"IATA code of the airport of arrival"},"date":{"type":"string","format":"date"},"passengers":{"type":"integer","minimum":1,"maximum":9,"default":1},"cabin":{"type":"string","enum":["economy","premium_economy","business","first"]}},"required":["origin","destination","date"],"additionalProperties":false}}}',
  ],
  [
    "the result of a tool",
    123,
    '{"orders":[{"id":48211,"status":"shipped","items":[{"sku":"KB-201","quantity":2,"price":39.9},{"sku":"MS-77","quantity":1,"price":24.5}],"address":{"city":"Graz","postcode":"8010","country":"AT"},"created_at":"2026-03-12T09:41:07Z"},{"id":48219,"status":"open","items":[],"address":null,"created_at":"2026-03-14T17:03:55Z"}],"next_page":null}',
  ],
  [
    "German",
    66,
    "Könnten Sie mir bitte erklären, wie sich das Wetter im Winter verändert? Ich möchte wissen, warum es in den Bergen früher schneit als im Tal, und ob die Straßenverwaltung deshalb mehr Salz bestellen muss. Außerdem interessiert mich, welche Versicherungsbedingungen gelten, wenn ein Dach unter der Schneelast zusammenbricht.",
  ],
  [
    "Spanish",
    66,
    "¿Podría explicarme cómo cambia el tiempo durante los meses de invierno? Quisiera saber por qué nieva antes en las montañas que en el valle y si la administración de carreteras tiene que pedir más sal. Además, ¿qué condiciones del seguro se aplican cuando un tejado se hunde bajo la nieve?",
  ],
  [
    "Russian",
    68,
    "Не могли бы вы объяснить, как меняется погода зимой? Я хотел бы узнать, почему в горах снег выпадает раньше, чем в долине, и нужно ли дорожной службе заказывать больше соли. Кроме того, какие условия страхования действуют, если крыша обрушивается под тяжестью снега?",
  ],
  [
    "Chinese",
    54,
    "请问冬天的天气会怎么变化？我想知道为什么山里比山谷更早下雪，公路管理部门是否因此需要订购更多的盐。另外，如果屋顶被积雪压塌，适用哪些保险条款？",
  ],
  [
    "Japanese",
    61,
    "冬の間に天気がどのように変わるか説明していただけますか。山では谷よりも早く雪が降るのはなぜでしょうか。また、道路管理局はそのためにもっと多くの塩を注文する必要がありますか。",
  ],
  [
    "Korean",
    50,
    "겨울철 날씨가 어떻게 변하는지 설명해 주시겠어요? 산에서는 왜 계곡보다 눈이 더 일찍 내리는지, 그래서 도로 관리청이 소금을 더 많이 주문해야 하는지 알고 싶습니다.",
  ],
  [
    "Arabic",
    47,
    "هل يمكنك أن تشرح كيف يتغير الطقس خلال أشهر الشتاء؟ أود أن أعرف لماذا يتساقط الثلج في الجبال قبل الوادي، وهل تحتاج إدارة الطرق إلى طلب المزيد من الملح بسبب ذلك.",
  ],
  [
    "Hindi",
    59,
    "क्या आप कृपया समझा सकते हैं कि सर्दियों के महीनों में मौसम कैसे बदलता है? मैं जानना चाहता हूँ कि पहाड़ों में घाटी से पहले बर्फ क्यों गिरती है और क्या सड़क विभाग को अधिक नमक मँगवाना पड़ता है।",
  ],
  [
    "Hebrew",
    53,
    "האם תוכל להסביר לי כיצד משתנה מזג האוויר בחודשי החורף? הייתי רוצה לדעת מדוע יורד שלג בהרים מוקדם יותר מאשר בעמק, והאם רשות הדרכים צריכה להזמין יותר מלח.",
  ],
  [
    "Greek",
    57,
    "Θα μπορούσατε να μου εξηγήσετε πώς αλλάζει ο καιρός τους χειμερινούς μήνες; Θα ήθελα να μάθω γιατί χιονίζει νωρίτερα στα βουνά από ό,τι στην κοιλάδα.",
  ],
  ["Thai", 50, "ช่วยอธิบายได้ไหมว่าอากาศเปลี่ยนแปลงอย่างไรในช่วงฤดูหนาว ฉันอยากรู้ว่าทำไมหิมะจึงตกบนภูเขาก่อนในหุบเขา"],
]

test("texts have as many tokens as a tokenizer counts, to a tenth", () => {
  const ratios = counted.map(([what, tokens, text]) => [what, textTokens(text) / tokens] as const)
  expect(ratios.filter(([, ratio]) => ratio < 0.9 || ratio > 1.1)).toEqual([])
})

// Worked out by hand from the numbers in the source.
test.each<[text: string, tokens: number]>([
  ["", 0],
  ["the", 0.98],
  ["the winter", 0.98 + 1.1],
  ["understanding", 0.38 * 4],
  ["perché", 1.1 + 0.24],
  ["grazie mille", 1.1 + 1.1],
  ["zebra", 1.1 + 0.87],
  ["HTTP", 0.47 + 0.2 * 4],
  ["HTTPServer", 0.47 + 0.2 * 4 + 1.08],
  ["maxTokens", 0.98 + 1.08],
  ["max_tokens", 0.98 + 0.9 + 0.63],
  ["12345", 1.54 * 2],
  ["a  b", 0.98 + 0.63 + 0.98],
  ["a\n  b", 0.98 + 0.95 + 0.98],
  ["a\nb", 0.98 + 0.37 + 0.98],
  ["{}", 1.14],
  ["=====", 1.43 + 0.26],
  ["漢字", 1.5],
  ["да", 0.58],
  ["👍", 1.2],
])("%j: %d", (text, tokens) => expect(textTokens(text)).toBeCloseTo(tokens, 6))

test("a long text is judged by pieces from all of it", () => {
  const [, , prose] = counted[0] as (typeof counted)[0]
  const [, , chinese] = counted[10] as (typeof counted)[0]
  const half = `${prose} `.repeat(200) + chinese.repeat(1000)
  const whole = 200 * textTokens(`${prose} `) + 1000 * textTokens(chinese)
  expect(textTokens(half) / whole).toBeCloseTo(1, 1)
})

test("less of a text is counted where less is asked for", () => {
  const text = `${"word ".repeat(2000)}${"1 ".repeat(5000)}${"word ".repeat(2000)}`
  const words = textTokens("word ".repeat(6000))
  expect(textTokens(text, 1024)).toBeCloseTo(words, -2)
  expect(textTokens(text)).toBeGreaterThan(1.1 * words)
})
