import { expect, test } from "vitest"
import { finish } from "../../../../../ts/kernel/host/work.ts"
import { findValuesInSentences } from "../../../../../ts/plugins/_shared/personal-data/patterns/sentence-values.ts"

const found = (text: string): readonly string[] =>
  finish(findValuesInSentences(text))
    .toSorted((a, b) => a.start - b.start)
    .map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`)

test("passwords are found in sentences of many languages", () => {
  const cases = [
    ["I reset the password to Kastanie-93! this morning", "Kastanie-93!"],
    ["please set our wifi password to Kastanie93", "Kastanie93"],
    ["habe das Passwort auf Kastanie93! geändert", "Kastanie93!"],
    ["cambié la contraseña a Castaña93!", "Castaña93!"],
    ["mudei a senha para castanha9341", "castanha9341"],
    ["j'ai changé mon mot de passe en Marron93!", "Marron93!"],
    ["a senha da rede é castanha93", "castanha93"],
    ["la clave del portal es Castaña93", "Castaña93"],
    ["le mdp : Marron93", "Marron93"],
    ["la password è Castagna93", "Castagna93"],
    ["hasło do sieci to Kasztan93", "Kasztan93"],
    ["пароль от роутера: Kashtan93", "Kashtan93"],
    ["lösenordet är Kastanj93", "Kastanj93"],
    ["密码是Kastanie93。", "Kastanie93"],
    ["パスワードは「Kuri2093」です", "Kuri2093"],
    [String.raw`net use Y: \\nas\team /user:acme\jott Kq8vR2`, "Kq8vR2"],
    [String.raw`net use Y: \\nas\team Kq8vR2 /user:acme\jott`, "Kq8vR2"],
    ["my PIN is 7306, tell nobody", "7306"],
    ["the alarm code is 7306", "7306"],
    ["Die PIN der Karte lautet 730612.", "730612"],
    ["Der PIN meiner Karte ist 4821", "4821"],
    ["Die Geheimzahl ihrer EC-Karte ist 4821", "4821"],
    ["de pincode van mijn kaart is 4821", "4821"],
    ["PIN mojej karty to 4821", "4821"],
    ["PIN-koden till mitt kort är 4821", "4821"],
    ["das Passwort meines Rechners ist Kastanie93", "Kastanie93"],
    ["das Kennwort unserer Praxis lautet Kastanie93", "Kastanie93"],
    ["The login of the shop is admin / Blue-Tiger-88", "Blue-Tiger-88"],
    ["Zugangsdaten: huber, Kastanie-93!", "Kastanie-93!"],
    ["les identifiants du serveur sont marie / Marron-93", "Marron-93"],
    ["las credenciales del portal son ann y Castaña-93", "Castaña-93"],
  ] as const
  for (const [text, password] of cases) expect([text, ...found(text)]).toEqual([text, `PASSWORD ${password}`])
  expect(found("changed the pw from Kastanie92! to Kastanie93!")).toEqual([
    "PASSWORD Kastanie92!",
    "PASSWORD Kastanie93!",
  ])
})

test("questions about passwords and pins have none", () => {
  const cases = [
    "set my password to never expire",
    "change the password to a stronger one",
    "how do I change a password to expire in 90days?",
    "set the password to 12-character phrases",
    "I want to reset the password to server01",
    "update the password to use bcrypt12",
    "set the password to OAuth2 mode",
    "changed the password from plaintext to sha256",
    "send the password to ann@acme-mail.com and change it",
    "a password to Kastanie93 and no word of a change",
    "la palabra clave es SEO2024",
    "密码必须包含8-16位",
    "the PIN is 4 digits long",
    "PIN code: 560001",
    "PIN: 2024-01-15",
    "connect pin 4017 to ground",
    "the login is open 24/7, and v2 too",
    "login: see docs / api-v2",
    "access to the API is read / write2",
    "credentials are in config / env-v2",
    "the PIN of my board is GPIO 4017",
    "net use is a command of 1999",
    String.raw`net use Z: \\srv\share /user:acme\ann *`,
  ] as const
  for (const text of cases) expect([text, ...found(text)]).toEqual([text])
})

test("keys of maps, words to look for and pins of boards are no passwords", () => {
  const cases = [
    "Crea un diccionario con clave: valor1",
    "la clave es user_id2",
    "Cerca la parola: iphone15 nel testo",
    "modifica la clave de usuario a cliente_id22",
    "Hasło: python3",
    "GPIO PIN 1234",
    "Connect PIN 1000 ohm",
    "Set PIN: 4000 Hz",
    "The PIN 1234 of the connector",
  ]
  for (const text of cases) expect([text, ...found(text)]).toEqual([text])
})
