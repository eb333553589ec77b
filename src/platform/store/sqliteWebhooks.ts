import type { Statements } from './statements.ts';
import type { WebhookStore } from './store.ts';

/** The webhooks of the store in SQLite. */
export function sqliteWebhooks({ all, run }: Statements): WebhookStore {
  return {
    insertWebhook: ({ jobId, url, body, dueAt }) =>
      run('INSERT INTO webhooks (job_id, url, body, attempts, due_at) VALUES (?, ?, ?, 0, ?)', jobId, url, body, dueAt),
    nextWebhooks: (limit) =>
      all('SELECT * FROM webhooks ORDER BY due_at, id LIMIT ?', limit).map((row) => ({
        id: row['id'] as number,
        jobId: row['job_id'] as string,
        url: row['url'] as string,
        body: row['body'] as string,
        attempts: row['attempts'] as number,
        dueAt: row['due_at'] as number,
      })),
    postponeWebhook: (id, dueAt) =>
      run('UPDATE webhooks SET attempts = attempts + 1, due_at = ? WHERE id = ?', dueAt, id),
    deleteWebhook: (id) => run('DELETE FROM webhooks WHERE id = ?', id),
  };
}
