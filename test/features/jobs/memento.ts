/** Creates a storage that serializes values as JSON, as the editor's storage does. */
export function memento() {
  const texts = new Map<string, string>();
  return {
    keys: () => [...texts.keys()],
    get: (key: string): unknown => {
      const text = texts.get(key);
      return text === undefined ? undefined : (JSON.parse(text) as unknown);
    },
    update: (key: string, value: unknown) => {
      if (value === undefined) texts.delete(key);
      else texts.set(key, JSON.stringify(value));
      return Promise.resolve();
    },
  };
}
