// Work that is done once for each of the things that several rules ask about.

/** Makes the value of a key when it is first asked for, and keeps it. */
export function onceEach<Key, Value extends object | string>(make: (key: Key) => Value): (key: Key) => Value {
  const values = new Map<Key, Value>()
  return (key) => {
    const value = values.get(key) ?? make(key)
    values.set(key, value)
    return value
  }
}
