import { randomBytes } from 'node:crypto';

/** The part of the editor's secret storage that this module uses. Either call rejects when the keyring is locked or missing. */
interface Secrets {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, text: string): PromiseLike<void>;
}

const SECRET = 'cloudCompute.localPlatform.key';

/**
 * Returns the API key of the local platform. The key is created once. All windows of this editor share it, so that they can share one
 * platform. Undefined when the secret storage fails; the platform then creates a key that lasts until it stops.
 */
export async function localPlatformKey(secrets: Secrets): Promise<string | undefined> {
  try {
    const stored = await secrets.get(SECRET);
    if (stored !== undefined && stored !== '') return stored;
    const fresh = randomBytes(24).toString('base64url');
    await secrets.store(SECRET, fresh);
    // Several windows can create a key at the same time. All of them use the key that was stored last.
    return (await secrets.get(SECRET)) ?? fresh;
  } catch {
    return undefined;
  }
}
