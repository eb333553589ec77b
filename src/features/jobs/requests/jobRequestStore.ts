import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { JobRequest } from '../../../contract/job.ts';
import type { JobRequests, NotStored } from './jobRequests.ts';
import { storableRequest } from './storableRequest.ts';
import { hashedName } from '../../../text/hashedName.ts';

const MAX_REQUESTS = 200;

const StoredRequest = z.object({ jobId: z.string(), request: JobRequest });

/** Stores requests as files: one folder for each connection, and one file for each job. The files are readable only by the user. */
export class JobRequestStore implements JobRequests {
  readonly #directory: string;
  /** The last write. Writes run one after the other, so that they agree on the oldest file. */
  #writing: Promise<unknown> = Promise.resolve();

  constructor(directory: string) {
    this.#directory = directory;
  }

  async put(connectionId: string, jobId: string, request: JobRequest): Promise<NotStored | undefined> {
    const storable = storableRequest(request);
    if ('reason' in storable) {
      await this.remove(connectionId, [jobId]);
      return storable.reason;
    }
    await this.#afterOthers(async () => {
      await mkdir(this.#folder(connectionId), { recursive: true, mode: 0o700 });
      const text = JSON.stringify({ jobId, request: storable.request });
      await writeFile(this.#file(connectionId, jobId), text, { mode: 0o600 });
      await removeOldest(this.#folder(connectionId));
    });
    return undefined;
  }

  async get(connectionId: string, jobId: string): Promise<JobRequest | undefined> {
    await this.#writing;
    const text = await readFile(this.#file(connectionId, jobId), 'utf8').catch(() => undefined);
    const stored = text === undefined ? undefined : StoredRequest.safeParse(parsed(text)).data;
    return stored?.jobId === jobId ? stored.request : undefined;
  }

  async remove(connectionId: string, jobIds: readonly string[]): Promise<void> {
    await this.#afterOthers(async () => {
      for (const jobId of jobIds) await rm(this.#file(connectionId, jobId), { force: true });
    });
  }

  /** Deletes the requests of all other connections. */
  async keepOnly(connectionIds: readonly string[]): Promise<void> {
    const kept = new Set(connectionIds.map(hashedName));
    await this.#afterOthers(async () => {
      const folders = await readdir(this.#directory).catch(() => []);
      for (const name of folders.filter((folder) => !kept.has(folder)))
        await rm(path.join(this.#directory, name), { recursive: true, force: true });
    });
  }

  #afterOthers(write: () => Promise<void>): Promise<void> {
    const written = this.#writing.then(write);
    this.#writing = written.catch(() => undefined);
    return written;
  }

  #folder(connectionId: string): string {
    return path.join(this.#directory, hashedName(connectionId));
  }

  #file(connectionId: string, jobId: string): string {
    return path.join(this.#folder(connectionId), `${hashedName(jobId)}.json`);
  }
}

async function removeOldest(folder: string): Promise<void> {
  const names = await readdir(folder);
  if (names.length <= MAX_REQUESTS) return;
  const files = await Promise.all(
    names.map(async (name) => {
      const file = path.join(folder, name);
      return { file, at: (await stat(file)).mtimeMs };
    }),
  );
  files.sort((a, b) => a.at - b.at);
  for (const { file } of files.slice(0, -MAX_REQUESTS)) await rm(file, { force: true });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
