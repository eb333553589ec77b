import type { HostedConnection } from '../../../src/account/connections/connectionDocument.ts';
import type { Secrets } from '../../../src/account/connections/connectionVault.ts';

/** Creates a connection whose id is also its name. */
export const hosted = (id: string): HostedConnection => ({
  id,
  name: id,
  baseUrl: `https://${id}.example.com`,
  restUrl: `https://${id}.example.com`,
  queueUrl: `https://${id}.example.com/v2`,
  endpointHost: `https://{endpoint_id}.${id}.example.com`,
  apiKey: `key-of-${id}`,
});

/** The secret storage of an editor with several windows. While `broken` is set, each call rejects with that error. */
export class SharedSecrets {
  readonly texts = new Map<string, string>();
  broken: Error | undefined;
  readonly #listeners = new Set<(change: { readonly key: string }) => void>();

  /** Returns the secret storage of one window. */
  window(): Secrets {
    const use = <Result>(act: () => Result): Promise<Result> =>
      this.broken ? Promise.reject(this.broken) : Promise.resolve().then(act);
    const notify = (key: string) => this.#listeners.forEach((listener) => listener({ key }));
    return {
      get: (key) => use(() => this.texts.get(key)),
      store: (key, text) =>
        use(() => {
          this.texts.set(key, text);
          notify(key);
        }),
      delete: (key) =>
        use(() => {
          this.texts.delete(key);
          notify(key);
        }),
      onDidChange: (listener) => {
        this.#listeners.add(listener);
        return { dispose: () => void this.#listeners.delete(listener) };
      },
    };
  }
}
