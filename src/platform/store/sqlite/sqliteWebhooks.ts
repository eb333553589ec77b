import type { Sealing } from './sealing.ts';
import { mapped, type Statements } from './statements.ts';
import type { WebhookStore } from '../webhookStore.ts';

/** Pending webhooks in SQLite. */
export function sqliteWebhooks({ one, run }: Statements, { seal, open }: Sealing): WebhookStore {
  return {
    insert: ({ jobId, accountId, url, body, dueAt }) => {
      // The body also contains the address.
      const [sealedUrl, sealedBody] = [seal('deliveryUrl', jobId, url), seal('deliveryBody', jobId, body)];
      run(INSERT, jobId, accountId, new URL(url).origin, sealedUrl, dueAt, sealedBody);
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

const INSERT =
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
