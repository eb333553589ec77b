import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { KEY_BYTES, secretKey } from './secretKey.ts';

/*
 * Encryption of stored secrets. People copy and export databases, and attach them to bug reports. The key is in a separate file that only
 * its user can read, so a copy reveals no passwords. Hashing is not an option, because workers and webhook receivers need the secrets.
 */

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Hexadecimal digits of an identifier. */
const IDENTIFIER_LENGTH = 32;

export interface SecretBox {
  /** Name of the key in messages. */
  readonly keyFile: string;
  /** @throws SecretKeyError if the key file cannot be used */
  seal(secret: string, owner: string): string;
  /** @throws Error if it was sealed with another key or for another owner, or was modified; SecretKeyError */
  open(sealed: string, owner: string): string;
  /** Identifies the data that this key belongs to. Reveals nothing about the key. @throws SecretKeyError */
  identify(purpose: string): string;
  /** Derives a secret of 256 bits, always the same for a purpose, in base64url. @throws SecretKeyError */
  derive(purpose: string): string;
}

/** @param keyFile file of the key, created on first use; default: a temporary key in memory */
export function secretBox(keyFile?: string): SecretBox {
  const { get, getOrCreate } = keyFile === undefined ? temporaryKey() : secretKey(keyFile);
  return {
    keyFile: keyFile ?? 'the key of a platform in memory',
    seal: (secret, owner) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, getOrCreate(), nonce).setAAD(Buffer.from(owner));
      const encrypted = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64');
    },
    open: (sealed, owner) => {
      const bytes = Buffer.from(sealed, 'base64');
      const decipher = createDecipheriv(CIPHER, get(), bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(owner))
        .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    },
    identify: (purpose) =>
      createHmac('sha256', getOrCreate()).update(purpose).digest('hex').slice(0, IDENTIFIER_LENGTH),
    derive: (purpose) => Buffer.from(hkdfSync('sha256', getOrCreate(), '', purpose, KEY_BYTES)).toString('base64url'),
  };
}

function temporaryKey() {
  const key = randomBytes(KEY_BYTES);
  return { get: () => key, getOrCreate: () => key };
}
