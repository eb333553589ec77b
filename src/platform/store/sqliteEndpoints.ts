import type { EndpointRecord } from '../domain/endpoint.ts';
import type { Quarantine } from './quarantine.ts';
import { releaseOfRow } from './rows.ts';
import type { Statements } from './statements.ts';
import type { EndpointStore, JobStore } from './store.ts';

/** Endpoints and their releases in SQLite. */
export function sqliteEndpoints(
  { all, run, transaction }: Statements,
  jobs: Pick<JobStore, 'deleteJobsOf'>,
  { setAside }: Pick<Quarantine, 'setAside'>,
): EndpointStore {
  return {
    insertEndpoint: (endpoint) =>
      run('INSERT INTO endpoints VALUES (?, ?, ?)', endpoint.id, endpoint.createdAt, JSON.stringify(endpoint)),
    updateEndpoint: (endpoint) =>
      run('UPDATE endpoints SET record = ? WHERE id = ?', JSON.stringify(endpoint), endpoint.id),
    insertRelease: ({ id, endpointId, version, createdAt, diff }) =>
      run('INSERT INTO releases VALUES (?, ?, ?, ?, ?)', id, endpointId, version, createdAt, JSON.stringify(diff)),
    listReleases: (endpointId) =>
      all('SELECT * FROM releases WHERE endpoint_id = ? ORDER BY version DESC', endpointId).map(releaseOfRow),
    listEndpoints: () =>
      all('SELECT record FROM endpoints ORDER BY created_at, rowid').map(
        ({ record }) => JSON.parse(record as string) as EndpointRecord,
      ),
    setEndpointAside: (id, reason) => setAside('endpoints', reason, 'id = ?', id),
    deleteEndpoint: (id) =>
      transaction(() => {
        jobs.deleteJobsOf(id);
        run('DELETE FROM releases WHERE endpoint_id = ?', id);
        run('DELETE FROM endpoints WHERE id = ?', id);
      }),
  };
}
