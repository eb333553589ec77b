import type { TemplateRecord } from '../../domain/template.ts';
import type { Row } from './rows.ts';
import type { Sealing } from './sealing.ts';
import { mapped, type Statements } from './statements.ts';
import type { Collection, ResourceStore, ResourceStores } from '../resourceStore.ts';

/** Serializes and parses the entries of a collection. */
interface Format<Entry> {
  readonly text: (entry: Entry) => string;
  /** @param row row with the `id` and `record` columns */
  readonly entry: (row: Row) => Entry;
}

const plain = <Entry>(): Format<Entry> => ({
  text: (entry) => JSON.stringify(entry),
  entry: ({ record }) => JSON.parse(record as string) as Entry,
});

const templateFormat = ({ stringify, parse }: Sealing): Format<TemplateRecord> => ({
  text: (template) => stringify('templates', template.id, template),
  entry: ({ id, record }) => parse('templates', id as string, record as string) as TemplateRecord,
});

/** Resources of each account, stored as whole records in one table. They are few, and always read as a whole. */
export function sqliteResources(statements: Statements, sealing: Sealing): ResourceStores {
  return {
    of: (accountId) => resourcesOf(statements, accountId, sealing),
    listPublicTemplates: () => statements.all(PUBLIC_TEMPLATES).map(templateFormat(sealing).entry),
  };
}

function resourcesOf({ one, all, run }: Statements, accountId: string, sealing: Sealing): ResourceStore {
  const collection = <Entry extends { readonly id: string }>(
    kind: keyof ResourceStore,
    { text, entry }: Format<Entry>,
  ): Collection<Entry> => ({
    insert: (added) => run(INSERT, accountId, kind, added.id, text(added)),
    update: (changed) =>
      run(`UPDATE resources SET record = ?4 WHERE ${ONE}`, accountId, kind, changed.id, text(changed)),
    delete: (id) => run(`DELETE FROM resources WHERE ${ONE}`, accountId, kind, id).changes > 0,
    get: (id) => mapped(one(`SELECT id, record FROM resources WHERE ${ONE}`, accountId, kind, id), entry),
    list: () => all(LIST, accountId, kind).map(entry),
  });
  return {
    templates: collection('templates', templateFormat(sealing)),
    registries: collection('registries', plain()),
    networkVolumes: collection('networkVolumes', plain()),
    globalVolumes: collection('globalVolumes', plain()),
  };
}

const INSERT = 'INSERT INTO resources (account_id, kind, id, record) VALUES (?, ?, ?, ?)';
const ONE = 'account_id = ?1 AND kind = ?2 AND id = ?3';
const LIST = 'SELECT id, record FROM resources WHERE account_id = ? AND kind = ? ORDER BY sequence';
const PUBLIC_TEMPLATES = `
  SELECT id, record FROM resources WHERE kind = 'templates' AND record ->> '$.public' = 1 ORDER BY sequence`;
