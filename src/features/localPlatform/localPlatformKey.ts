import { randomBytes } from 'node:crypto';

/** What is used of the editor's secret storage. Each of it can be rejected: a keyring can be locked, or missing. */
interface Secrets {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, text: string): PromiseLike<void>;
}

const SECRET = 'cloudCompute.localPlatform.key';

/**
 * The key of the local platform: made once, and the same in all windows of this editor, which recognize each other's platform by it.
 * undefined when the secret storage does not work: then the platform makes a key for as long as it runs.
 */
export async function localPlatformKey(secrets: Secrets): Promise<string | undefined> {
  try {
    const stored = await secrets.get(SECRET);
    if (stored !== undefined && stored !== '') return stored;
    const fresh = randomBytes(24).toString('base64url');
    await secrets.store(SECRET, fresh);
    // Of several windows that made one at once, all use the one that was stored last.
    return (await secrets.get(SECRET)) ?? fresh;
  } catch {
    return undefined;
  }
}
