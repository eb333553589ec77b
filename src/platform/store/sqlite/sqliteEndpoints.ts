import type { EndpointRecord } from '../../domain/endpoint.ts';
import type { Quarantine } from './quarantine.ts';
import { releaseOfRow } from './rows.ts';
import type { Sealing } from './sealing.ts';
import type { Statements } from './statements.ts';
import type { EndpointStore } from '../endpointStore.ts';
import type { JobStore } from '../jobStore.ts';

interface EndpointParts {
  readonly jobs: Pick<JobStore, 'deleteOf'>;
  readonly sealing: Sealing;
  readonly quarantine: Pick<Quarantine, 'setAside'>;
}

/** Endpoints and their releases in SQLite. */
export function sqliteEndpoints(
  { all, run, transaction }: Statements,
  { jobs, sealing, quarantine }: EndpointParts,
): EndpointStore {
  const { stringify, parse } = sealing;
  const stored = (endpoint: EndpointRecord): string => stringify('endpoints', endpoint.id, endpoint);
  return {
    insert: (endpoint) =>
      run('INSERT INTO endpoints VALUES (?, ?, ?)', endpoint.id, endpoint.createdAt, stored(endpoint)),
    update: (endpoint) => run('UPDATE endpoints SET record = ? WHERE id = ?', stored(endpoint), endpoint.id),
    insertRelease: ({ id, endpointId, version, createdAt, diff }) =>
      run('INSERT INTO releases VALUES (?, ?, ?, ?, ?)', id, endpointId, version, createdAt, JSON.stringify(diff)),
    releases: (endpointId) =>
      all('SELECT * FROM releases WHERE endpoint_id = ? ORDER BY version DESC', endpointId).map(releaseOfRow),
    list: () =>
      all('SELECT id, record FROM endpoints ORDER BY created_at, rowid').map(
        ({ id, record }) => parse('endpoints', id as string, record as string) as EndpointRecord,
      ),
    setAside: (id, reason) => quarantine.setAside('endpoints', reason, 'id = ?', id),
    delete: (id) =>
      transaction(() => {
        jobs.deleteOf(id);
        run('DELETE FROM releases WHERE endpoint_id = ?', id);
        run('DELETE FROM endpoints WHERE id = ?', id);
      }),
  };
}
