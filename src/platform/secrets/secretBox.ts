import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { KEY_BYTES, secretKey } from './secretKey.ts';

/*
 * Secrets as they are stored. The database is what people copy, export and attach to reports; the key lies in a file of its own, for the
 * owner's eyes only, so that none of these gives a password away. They cannot be hashed: workers and receivers need them back.
 */

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface SecretBox {
  /** As texts call its key. */
  readonly keyFile: string;
  /** @throws SecretKeyError when the key file cannot be used */
  seal(secret: string, owner: string): string;
  /** @throws Error when it was sealed with another key, for another owner, or was changed since; SecretKeyError */
  open(sealed: string, owner: string): string;
}

/** @param keyFile where the key is kept, made when it is first needed to seal; left out: a key that is gone at the end */
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
  };
}

function temporaryKey() {
  const key = randomBytes(KEY_BYTES);
  return { get: () => key, getOrCreate: () => key };
}
