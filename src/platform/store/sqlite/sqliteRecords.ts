import type { TemplateRecord } from '../../domain/template.ts';
import { type Row, releaseOfRow } from './rows.ts';
import type { Sealing } from './sealing.ts';
import { mapped, type Statements } from './statements.ts';
import type {
  Collection,
  ResourceStore,
  ResourceStores,
  AccountStore,
  ImageStore,
  PulledImageStore,
  WebhookStore,
} from '../store.ts';
import type { AccountRecord, ApiKeyRecord } from '../../domain/account.ts';
import type { EndpointRecord } from '../../domain/endpoint.ts';
import type { Quarantine } from './quarantine.ts';
import type { EndpointStore } from '../endpointStore.ts';

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
    insert: (added) => run(INSERT_RESOURCE, accountId, kind, added.id, text(added)),
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

const INSERT_RESOURCE = 'INSERT INTO resources (account_id, kind, id, record) VALUES (?, ?, ?, ?)';
const ONE = 'account_id = ?1 AND kind = ?2 AND id = ?3';
const LIST = 'SELECT id, record FROM resources WHERE account_id = ? AND kind = ? ORDER BY sequence';
const PUBLIC_TEMPLATES = `
  SELECT id, record FROM resources WHERE kind = 'templates' AND record ->> '$.public' = 1 ORDER BY sequence`;

/** Accounts, memberships, and API keys in SQLite. */
export function sqliteAccounts({ one, all, run }: Statements): AccountStore {
  return {
    insert: (account) => run('INSERT OR IGNORE INTO accounts VALUES (?, ?)', account.id, JSON.stringify(account)),
    get: (id) => mapped(one('SELECT record FROM accounts WHERE id = ?', id), accountOf),
    list: () => all('SELECT record FROM accounts ORDER BY rowid').map(accountOf),
    insertMember: (teamId, userId) => run('INSERT OR IGNORE INTO team_members VALUES (?, ?)', teamId, userId),
    deleteMember: (teamId, userId) => run('DELETE FROM team_members WHERE team_id = ? AND user_id = ?', teamId, userId),
    isMember: (teamId, userId) =>
      one('SELECT 1 FROM team_members WHERE team_id = ? AND user_id = ?', teamId, userId) !== undefined,
    members: (teamId) =>
      all('SELECT user_id FROM team_members WHERE team_id = ? ORDER BY rowid', teamId).map(
        (row) => row['user_id'] as string,
      ),
    insertApiKey: (key) => run('INSERT INTO api_keys VALUES (?, ?, ?)', key.id, key.accountId, JSON.stringify(key)),
    getApiKey: (id) => mapped(one('SELECT record FROM api_keys WHERE id = ?', id), keyOf),
    apiKeys: (accountId) =>
      (accountId === undefined
        ? all('SELECT record FROM api_keys ORDER BY rowid')
        : all('SELECT record FROM api_keys WHERE account_id = ? ORDER BY rowid', accountId)
      ).map(keyOf),
    deleteApiKey: (id) => run('DELETE FROM api_keys WHERE id = ?', id).changes > 0,
  };
}

const accountOf = ({ record }: Row): AccountRecord => JSON.parse(record as string) as AccountRecord;
const keyOf = ({ record }: Row): ApiKeyRecord => JSON.parse(record as string) as ApiKeyRecord;

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

/** Pending webhooks in SQLite. */
export function sqliteWebhooks({ one, run }: Statements, { seal, open }: Sealing): WebhookStore {
  return {
    insert: ({ jobId, accountId, url, body, dueAt }) => {
      // The body also contains the address.
      const [sealedUrl, sealedBody] = [seal('deliveryUrl', jobId, url), seal('deliveryBody', jobId, body)];
      run(INSERT_WEBHOOK, jobId, accountId, new URL(url).origin, sealedUrl, dueAt, sealedBody);
    },
    next: ({ ids, receivers } = { ids: [], receivers: [] }) =>
      mapped(one(NEXT, JSON.stringify(ids), JSON.stringify(receivers)), (row) => ({
        id: row['id'] as number,
        jobId: row['job_id'] as string,
        accountId: row['account_id'] as string,
        receiver: row['receiver'] as string,
        url: open('deliveryUrl', row['job_id'] as string, row['url'] as string),
        attempts: row['attempts'] as number,
        dueAt: row['due_at'] as number,
      })),
    body: (id) => {
      const row = one('SELECT job_id, body FROM webhooks WHERE id = ?', id);
      if (!row) throw new Error(`webhook ${id} does not exist`);
      return open('deliveryBody', row['job_id'] as string, row['body'] as string);
    },
    postpone: (id, dueAt) => run('UPDATE webhooks SET attempts = attempts + 1, due_at = ? WHERE id = ?', dueAt, id),
    limitDueAt: (latest) => run('UPDATE webhooks SET due_at = ?1 WHERE due_at > ?1', latest),
    delete: (id) => run('DELETE FROM webhooks WHERE id = ?', id),
  };
}

const INSERT_WEBHOOK =
  'INSERT INTO webhooks (job_id, account_id, receiver, url, attempts, due_at, body) VALUES (?, ?, ?, ?, 0, ?, ?)';
/** Skips from receiver to receiver in the index and reads the first row of each, so that a backlog for one receiver costs nothing. */
const NEXT = `
  WITH RECURSIVE receivers (receiver) AS (
    SELECT min(receiver) FROM webhooks
    UNION ALL
    SELECT (SELECT min(receiver) FROM webhooks WHERE receiver > before.receiver)
    FROM receivers AS before WHERE before.receiver IS NOT NULL
  )
  SELECT id, job_id, account_id, webhooks.receiver, url, attempts, due_at FROM receivers JOIN webhooks ON id = (
    SELECT id FROM webhooks
    WHERE receiver = receivers.receiver AND id NOT IN (SELECT value FROM json_each(?))
    ORDER BY due_at, id LIMIT 1
  )
  WHERE receivers.receiver NOT IN (SELECT value FROM json_each(?))
  ORDER BY due_at, id LIMIT 1`;

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
