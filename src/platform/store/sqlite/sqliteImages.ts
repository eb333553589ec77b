import type { ImageStore } from '../imageStore.ts';
import { mapped, type Statements } from './statements.ts';

/** Edited images in SQLite, as blobs. */
export function sqliteImages({ one, run }: Statements): ImageStore {
  return {
    insert: ({ name, contentType, bytes, createdAt, expiresAt }) =>
      run('INSERT INTO images VALUES (?, ?, ?, ?, ?)', name, contentType, createdAt, expiresAt, bytes),
    get: (name) =>
      mapped(one('SELECT * FROM images WHERE name = ?', name), (row) => ({
        name,
        contentType: row['content_type'] as string,
        bytes: row['bytes'] as Uint8Array,
        createdAt: row['created_at'] as number,
        expiresAt: row['expires_at'] as number,
      })),
    removeExpired: (now) => run('DELETE FROM images WHERE expires_at <= ?', now),
    nextExpiry: () =>
      (one('SELECT min(expires_at) AS next FROM images')?.['next'] as number | null | undefined) ?? undefined,
  };
}
