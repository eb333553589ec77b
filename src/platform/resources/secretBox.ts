import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

/*
 * Secrets as they are stored. The database is what people copy, export and attach to reports; the key lies in a file of its own, for the
 * owner's eyes only, so that none of these gives a password away. They cannot be hashed: pulling an image needs them back.
 */

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface SecretBox {
  /** @param owner id of the record it belongs to; it opens for no other */
  seal(secret: string, owner: string): string;
  /** @throws Error when it was sealed with another key, for another owner, or was changed since */
  open(sealed: string, owner: string): string;
}

/** @param keyFile where the key is kept, made when it is first needed; left out: a key that is gone at the end */
export function secretBox(keyFile?: string): SecretBox {
  let known: Buffer | undefined;
  const key = (): Buffer => (known ??= keyFile === undefined ? randomBytes(KEY_BYTES) : keyOf(keyFile));
  return {
    seal: (secret, owner) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key(), nonce).setAAD(Buffer.from(owner));
      const encrypted = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64');
    },
    open: (sealed, owner) => {
      const bytes = Buffer.from(sealed, 'base64');
      const decipher = createDecipheriv(CIPHER, key(), bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(owner))
        .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    },
  };
}

function keyOf(file: string): Buffer {
  try {
    const key = readFileSync(file);
    if (key.length !== KEY_BYTES) throw new Error(`${file} is not a key: it must have ${KEY_BYTES} bytes`);
    return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const key = randomBytes(KEY_BYTES);
    writeFileSync(file, key, { flag: 'wx', mode: 0o600, flush: true });
    return key;
  }
}
