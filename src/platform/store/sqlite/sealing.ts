import type { DatabaseSync } from 'node:sqlite';
import type { SecretBox } from '../../secrets/secretBox.ts';
import { SecretKeyError } from '../../secrets/secretKey.ts';

/*
 * Encryption of secret members of records, and of whole texts. All other data is not encrypted, so that it can be searched. A value is
 * encrypted for its row and cannot be decrypted in another row.
 */

/** Secret members of each kind of record. */
const SECRET_MEMBERS = {
  endpoints: ['env'],
  templates: ['env'],
  requests: ['s3Config', 'webhook'],
  claims: ['token'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type RecordKind = keyof typeof SECRET_MEMBERS;
/** Address and body of a webhook delivery. */
type TextKind = 'deliveryUrl' | 'deliveryBody';

/** Member that holds the encrypted members. A caller's member of the same name is encrypted with them. */
const SEALED = '$sealed';

export const isSealed = (kind: string): kind is RecordKind => Object.hasOwn(SECRET_MEMBERS, kind);

export interface Sealing {
  /** Serializes a record to JSON, with its secret members encrypted. */
  readonly stringify: (kind: RecordKind, id: string, record: object) => string;
  /** @throws Error if it is not valid JSON, or was encrypted with another key or for another row */
  readonly parse: (kind: RecordKind, id: string, json: string) => unknown;
  readonly seal: (kind: TextKind, id: string, text: string) => string;
  /** @throws Error if it was encrypted with another key or for another row */
  readonly open: (kind: TextKind, id: string, sealed: string) => string;
}

export function sealing(box: SecretBox): Sealing {
  const ownerOf = (kind: RecordKind | TextKind, id: string): string => `${kind} ${id}`;
  return {
    stringify: (kind, id, record) => {
      const secret = secretMembers(kind, record);
      if (!secret) return JSON.stringify(record);
      // Placeholders keep the order of the members.
      const places = Object.fromEntries(Object.keys(secret).map((name) => [name, null]));
      const sealed = box.seal(JSON.stringify(secret), ownerOf(kind, id));
      return JSON.stringify({ ...record, ...places, [SEALED]: sealed });
    },
    parse: (kind, id, json) => {
      const stored = JSON.parse(json) as Record<string, unknown>;
      const sealed = stored[SEALED];
      if (typeof sealed !== 'string') return stored;
      const secret = JSON.parse(box.open(sealed, ownerOf(kind, id))) as Record<string, unknown>;
      if (!(SEALED in secret)) Reflect.deleteProperty(stored, SEALED);
      return { ...stored, ...secret };
    },
    seal: (kind, id, text) => box.seal(text, ownerOf(kind, id)),
    open: (kind, id, sealed) => box.open(sealed, ownerOf(kind, id)),
  };
}

/** Returns the members to encrypt, or undefined if all are empty. */
function secretMembers(kind: RecordKind, record: object): Record<string, unknown> | undefined {
  const names = [...SECRET_MEMBERS[kind], SEALED];
  const members = Object.entries(record).filter(([name, value]) => names.includes(name) && !isEmpty(value));
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);

/* A known text, encrypted in the database, that verifies the key. */

const PROOF = 'encrypted with the key of this database';
const OWNER = 'key_proof';

/**
 * Verifies the key. Call this before any write. A database whose key is missing would otherwise get a new key, and lose its encrypted data.
 *
 * @throws SecretKeyError
 */
export function checkKey(database: DatabaseSync, box: SecretBox): void {
  const table = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'key_proof'").get();
  const row = table && database.prepare('SELECT sealed FROM key_proof').get();
  if (!row) return;
  try {
    box.open(row['sealed'] as string, OWNER);
  } catch (error) {
    throw error instanceof SecretKeyError ? error : new SecretKeyError('wrong', box.keyFile, error);
  }
}

/** Returns true if the database was written with this key. */
export function isWrittenWith(database: DatabaseSync, box: SecretBox): boolean {
  const row = database.prepare('SELECT sealed FROM key_proof').get();
  try {
    return row !== undefined && box.open(row['sealed'] as string, OWNER) === PROOF;
  } catch {
    return false;
  }
}

/** Writes the proof unless it exists. Runs in the transaction that creates the schema. */
export function proveKey(database: DatabaseSync, box: SecretBox): void {
  if (isWrittenWith(database, box)) return;
  database.exec('DELETE FROM key_proof');
  database.prepare('INSERT INTO key_proof VALUES (?)').run(box.seal(PROOF, OWNER));
}
