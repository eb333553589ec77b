import type { EndpointRecord } from '../../domain/endpoint.ts';
import type { Quarantine } from './quarantine.ts';
import { releaseOfRow } from './rows.ts';
import type { Sealing } from './sealing.ts';
import type { Statements } from './statements.ts';
import type { EndpointStore } from '../endpointStore.ts';

interface EndpointParts {
  readonly sealing: Sealing;
  readonly quarantine: Pick<Quarantine, 'setAside'>;
}

/** Endpoints and their releases in SQLite. */
export function sqliteEndpoints(
  { one, all, run, transaction }: Statements,
  { sealing, quarantine }: EndpointParts,
): EndpointStore {
  const { stringify, parse } = sealing;
  const stored = (endpoint: EndpointRecord): string => stringify('endpoints', endpoint.id, endpoint);
  const pinnedImage = (endpointId: string, version: number): string | undefined =>
    (one(`SELECT digest ${IMAGE_OF_RELEASE}`, endpointId, version)?.['digest'] as string | null | undefined) ??
    undefined;
  return {
    insert: (endpoint) =>
      run('INSERT INTO endpoints VALUES (?, ?, ?)', endpoint.id, endpoint.createdAt, stored(endpoint)),
    accountOf: (id) => one(ACCOUNT_OF, id)?.['account'] as string | undefined,
    update: (endpoint) => run('UPDATE endpoints SET record = ? WHERE id = ?', stored(endpoint), endpoint.id),
    insertRelease: ({ id, endpointId, version, createdAt, diff }) =>
      run('INSERT INTO releases VALUES (?, ?, ?, ?, ?)', id, endpointId, version, createdAt, JSON.stringify(diff)),
    releases: (endpointId) =>
      all('SELECT * FROM releases WHERE endpoint_id = ? ORDER BY version DESC', endpointId).map(releaseOfRow),
    beginImage: (endpointId, version) =>
      void run('INSERT OR IGNORE INTO release_images VALUES (?, ?, NULL)', endpointId, version),
    pinImage: (endpointId, version, digest) =>
      transaction(() => {
        run(PIN_IMAGE, digest, endpointId, endpointId, version);
        return pinnedImage(endpointId, version) ?? digest;
      }),
    imageVersion: (endpointId, version) =>
      one(`SELECT first_version ${IMAGE_OF_RELEASE}`, endpointId, version)?.['first_version'] as number | undefined,
    pinnedImage,
    pinnedImages: () =>
      all('SELECT * FROM release_images WHERE digest IS NOT NULL ORDER BY endpoint_id, first_version').map((row) => ({
        endpointId: row['endpoint_id'] as string,
        firstVersion: row['first_version'] as number,
        digest: row['digest'] as string,
      })),
    list: () =>
      all('SELECT id, record FROM endpoints ORDER BY created_at, rowid').map(
        ({ id, record }) => parse('endpoints', id as string, record as string) as EndpointRecord,
      ),
    setAside: (id, reason) => quarantine.setAside('endpoints', reason, 'id = ?', id),
    delete: (id) =>
      transaction(() => {
        run(REMOVE, id);
        run('DELETE FROM purged_queues WHERE endpoint_id = ?', id);
        run('DELETE FROM releases WHERE endpoint_id = ?', id);
        run('DELETE FROM release_images WHERE endpoint_id = ?', id);
        run('DELETE FROM endpoints WHERE id = ?', id);
      }),
    removed: () => all('SELECT id FROM removed_endpoints').map((row) => row['id'] as string),
    forget: (id) => void run('DELETE FROM removed_endpoints WHERE id = ?', id),
  };
}

const ACCOUNT_OF = `
  SELECT record ->> '$.accountId' AS account FROM endpoints WHERE id = ?1
  UNION ALL SELECT account_id FROM removed_endpoints WHERE id = ?1`;
const REMOVE = `
  INSERT OR IGNORE INTO removed_endpoints
  SELECT ?1, ifnull((SELECT record ->> '$.accountId' FROM endpoints WHERE id = ?1), '')`;
const IMAGE_OF_RELEASE =
  'FROM release_images WHERE endpoint_id = ? AND first_version <= ? ORDER BY first_version DESC LIMIT 1';
const PIN_IMAGE = `UPDATE release_images SET digest = coalesce(digest, ?)
  WHERE endpoint_id = ? AND first_version = (SELECT first_version ${IMAGE_OF_RELEASE})`;
