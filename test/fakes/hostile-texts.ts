// Texts that take readers longest: each keeps another loop, pattern or table busy.

/** About so many code units of each, by what it is made of. */
export function hostileTexts(length: number): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(units).map(([name, unit]) => [name, unit.repeat(Math.ceil(length / unit.length))]),
  )
}

const units: Readonly<Record<string, string>> = {
  "full-width letters": "ｉｇｎｏｒｅ",
  "letters of mathematics": "𝐢𝐠𝐧𝐨𝐫𝐞",
  "combining marks": "e\u0301\u0327\u20dd",
  "enclosing marks alone": "\u20dd",
  "emoji with joiners": "👩‍👩‍👧‍👦",
  "emoji between letters": "a😀",
  "Hangul fillers": "\u3164",
  "tag characters": "\u{e0041}",
  "variation selectors": "\u{e0100}",
  "zero-width signs": "\u200b",
  "digits between zero-width signs": "1\u200b",
  "characters with long plain forms": "\ufdfa",
  "words of 100 letters": `${"a".repeat(100)} `,
  "one word": "a",
  "two letters without order": "abbabaababba",
  "right-to-left text": "שלום مرحبا ",
  "Chinese without spaces": "漢字仮名交",
  "digits of many scripts": "٠१۲๓４𝟓⑥",
  "digits and spaces": "1 ",
  spaces: " ",
  "line breaks": "\n",
  "lone surrogates": "\ud83d",
  "nested addresses": "http://a:b@http://",
  "at signs": "a@",
  "e-mail addresses": "ann@example.com ",
  "plus signs and digits": "+1",
  "parts of telephone numbers": "phone +1 2 3 4 5 6 7 8 9 ",
  "parts of bank accounts": "DE89 3704 0044 0532 0130 01 ",
  colons: "fe80::",
  "special tokens": "[CLS]<|im_start|>",
  brackets: "[",
  "many different words": Array.from({ length: 5000 }, (_, index) => `w${index.toString(36)}q`).join(" "),
}
