import type { PulledImageStore } from '../pulledImageStore.ts';
import type { Statements } from './statements.ts';

/** IDs of pulled images in SQLite. */
export function sqlitePulledImages({ one, all, run }: Statements): PulledImageStore {
  return {
    add: (id, pulledAt) => void run('INSERT OR IGNORE INTO pulled_images VALUES (?, ?)', id, pulledAt),
    has: (id) => one('SELECT 1 FROM pulled_images WHERE id = ?', id) !== undefined,
    list: () => all('SELECT id FROM pulled_images ORDER BY pulled_at, id').map(({ id }) => id as string),
    delete: (id) => void run('DELETE FROM pulled_images WHERE id = ?', id),
  };
}
