/** Values that may be shown nowhere: the keys of providers (CLI-6). Made by who reads them; applied to errors, logs and files. */

/** Shorter values are words, not keys: to mask them would make a text unreadable and hide nothing. */
const LEAST_LENGTH = 8

const MASK = "[secret]"

/** A value as it may turn up: itself, in JSON, in an address, in a header. */
const forms = (secret: string): ReadonlyArray<string> => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret),
  btoa(String.fromCharCode(...new TextEncoder().encode(secret)))
]

/** Replaces the values, in every form, by `[secret]`. Blanks around a value do not belong to it. */
export const masking = (secrets: ReadonlyArray<string>): ((text: string) => string) => {
  const hidden = secrets
    .map((secret) => secret.trim().toWellFormed())
    .filter((secret) => secret.length >= LEAST_LENGTH)
    .flatMap(forms)
    .toSorted((a, b) => b.length - a.length)
  return (text) => hidden.reduce((masked, secret) => masked.replaceAll(secret, MASK), text)
}
