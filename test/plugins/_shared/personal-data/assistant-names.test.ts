import { expect, test } from "vitest"
import { chatRequest, textTurn } from "rtr/testing"
import { assistantNames } from "../../../../ts/plugins/_shared/personal-data/assistant-names.ts"

const names = (role: "system" | "assistant" | "user", text: string): readonly string[] => [
  ...assistantNames([chatRequest([textTurn(role, text)]), undefined]),
]

test.each([
  ["system", "You are Pia, the assistant of a parcel service.", "pia"],
  ["system", "Your name is Otto. Be brief.", "otto"],
  ["system", 'You are called "Zoé" and help readers.', "zoé"],
  ["system", "Du bist Mara und hilfst bei Fahrplänen.", "mara"],
  ["system", "Eres Luna, asistente de una tienda.", "luna"],
  ["assistant", "Hi! My name is Emma, I'm the virtual assistant of Brightparcel.", "emma"],
  ["assistant", "I'm Pia.", "pia"],
  ["assistant", "Ich heiße Tilo und suche Züge.", "tilo"],
  ["assistant", "Bonjour, je m’appelle Zoé !", "zoé"],
] as const)("a %s message names the assistant: %s", (role, text, name) => expect(names(role, text)).toEqual([name]))

test.each([
  ["user", "I'm Ann. You are Pia."],
  ["system", "You are a helpful assistant."],
  ["system", "You are Ann's assistant."],
  ["system", "You are Ann Lee, head of the bank."],
  ["assistant", "I'm looking for Ann."],
  ["assistant", "I am Ann Lee of Acme."],
] as const)("a %s message does not name it: %s", (role, text) => expect(names(role, text)).toEqual([]))
