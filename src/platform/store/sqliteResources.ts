import type { Row } from './rows.ts';
import { mapped, type Statements } from './statements.ts';
import type { Collection, ResourceStore } from './store.ts';

/** Resources: whole records, of every kind in one table. They are few, and always read whole. */
export function sqliteResources({ prepare, one, all, run }: Statements): ResourceStore {
  const collection = <Entry extends { readonly id: string }>(kind: keyof ResourceStore): Collection<Entry> => {
    const parsed = ({ record }: Row): Entry => JSON.parse(record as string) as Entry;
    return {
      insert: (entry) =>
        run('INSERT INTO resources (kind, id, record) VALUES (?, ?, ?)', kind, entry.id, JSON.stringify(entry)),
      update: (entry) =>
        run('UPDATE resources SET record = ?3 WHERE kind = ?1 AND id = ?2', kind, entry.id, JSON.stringify(entry)),
      delete: (id) => prepare('DELETE FROM resources WHERE kind = ? AND id = ?').run(kind, id).changes > 0,
      get: (id) => mapped(one('SELECT record FROM resources WHERE kind = ? AND id = ?', kind, id), parsed),
      list: () => all('SELECT record FROM resources WHERE kind = ? ORDER BY sequence', kind).map(parsed),
    };
  };
  return {
    templates: collection('templates'),
    registries: collection('registries'),
    networkVolumes: collection('networkVolumes'),
    globalVolumes: collection('globalVolumes'),
  };
}
