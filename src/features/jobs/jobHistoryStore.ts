import type * as vscode from 'vscode';
import * as z from 'zod';

const StoredJob = z.object({
  id: z.string(),
  endpointId: z.string(),
  endpointName: z.string(),
  /** Milliseconds since the epoch. */
  submittedAt: z.number(),
  status: z.string(),
});
/** A job that was run from here. Its input is not kept: that may hold what nobody wants on disk. */
export type StoredJob = z.infer<typeof StoredJob>;

const KEY = 'cloudCompute.jobs.recent';
const MOST = 50;

const History = z.record(z.string(), z.array(StoredJob));

/** The jobs run last, newest first, of each connection. They outlive the editor; the platform keeps the jobs themselves. */
export class JobHistoryStore {
  readonly #memento: vscode.Memento;

  constructor(memento: vscode.Memento) {
    this.#memento = memento;
  }

  recent(connection: string): readonly StoredJob[] {
    return this.#read()[connection] ?? [];
  }

  find(connection: string, id: string): StoredJob | undefined {
    return this.recent(connection).find((job) => job.id === id);
  }

  /** Adds a job, or replaces what was known of it at its place. */
  async put(connection: string, job: StoredJob): Promise<void> {
    const history = this.#read();
    const jobs = history[connection] ?? [];
    const isKnown = jobs.some(({ id }) => id === job.id);
    const next = isKnown ? jobs.map((old) => (old.id === job.id ? job : old)) : [job, ...jobs].slice(0, MOST);
    await this.#memento.update(KEY, { ...history, [connection]: next });
  }

  #read(): z.infer<typeof History> {
    const parsed = History.safeParse(this.#memento.get(KEY));
    return parsed.success ? parsed.data : {};
  }
}

/** Name of a connection in the history. The local platform has another address at each start. */
export function historyKey({ kind, baseUrl }: { readonly kind: 'local' | 'hosted'; readonly baseUrl: string }): string {
  return kind === 'local' ? 'local' : baseUrl;
}
