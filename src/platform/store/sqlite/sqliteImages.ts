import type { ImageStore } from '../imageStore.ts';
import type { PulledImageStore } from '../store.ts';
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

/** IDs of pulled images in SQLite. */
export function sqlitePulledImages({ one, all, run }: Statements): PulledImageStore {
  return {
    add: (id, pulledAt) => void run('INSERT OR IGNORE INTO pulled_images VALUES (?, ?)', id, pulledAt),
    has: (id) => one('SELECT 1 FROM pulled_images WHERE id = ?', id) !== undefined,
    list: () => all('SELECT id FROM pulled_images ORDER BY pulled_at, id').map(({ id }) => id as string),
    delete: (id) => void run('DELETE FROM pulled_images WHERE id = ?', id),
  };
}
