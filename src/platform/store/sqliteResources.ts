import type { TemplateRecord } from '../domain/template.ts';
import type { Row } from './rows.ts';
import { mapped, type Statements } from './statements.ts';
import type { Collection, ResourceStore } from './store.ts';

/** Resources of an account: whole records, of every kind in one table. They are few, and always read whole. */
export function sqliteResources({ one, all, run }: Statements, accountId: string): ResourceStore {
  const collection = <Entry extends { readonly id: string }>(kind: keyof ResourceStore): Collection<Entry> => {
    const parsed = ({ record }: Row): Entry => JSON.parse(record as string) as Entry;
    return {
      insert: (entry) => run(INSERT, accountId, kind, entry.id, JSON.stringify(entry)),
      update: (entry) =>
        run(`UPDATE resources SET record = ?4 WHERE ${ONE}`, accountId, kind, entry.id, JSON.stringify(entry)),
      delete: (id) => run(`DELETE FROM resources WHERE ${ONE}`, accountId, kind, id).changes > 0,
      get: (id) => mapped(one(`SELECT record FROM resources WHERE ${ONE}`, accountId, kind, id), parsed),
      list: () => all(LIST, accountId, kind).map(parsed),
    };
  };
  return {
    templates: collection('templates'),
    registries: collection('registries'),
    networkVolumes: collection('networkVolumes'),
    globalVolumes: collection('globalVolumes'),
  };
}

const INSERT = 'INSERT INTO resources (account_id, kind, id, record) VALUES (?, ?, ?, ?)';
const ONE = 'account_id = ?1 AND kind = ?2 AND id = ?3';
const LIST = 'SELECT record FROM resources WHERE account_id = ? AND kind = ? ORDER BY sequence';

export function listPublicTemplates({ all }: Statements): TemplateRecord[] {
  return all(PUBLIC_TEMPLATES).map(({ record }) => JSON.parse(record as string) as TemplateRecord);
}

const PUBLIC_TEMPLATES = `
  SELECT record FROM resources WHERE kind = 'templates' AND record ->> '$.public' = 1 ORDER BY sequence`;
