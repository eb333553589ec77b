import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { parseJson } from '../../../contract/parsedJson.ts';
import { JobRequest } from '../../../contract/job.ts';
import { hashedName } from '../../../text/fileNames.ts';
import { keyKind } from '../../../text/keyPatterns.ts';

/** Reasons why a request is not stored: it is too large, or it contains a value that looks like a secret. */
export type NotStored = 'tooLarge' | 'secret';

/** Requests of submitted jobs, which are stored on this machine. Never contains `s3Config`. */
export interface JobRequests {
  /** Stores the request of a job, unless it is too large or contains a secret. Never rejects. */
  put(connectionId: string, jobId: string, request: JobRequest): Promise<void>;
  get(connectionId: string, jobId: string): Promise<JobRequest | undefined>;
  remove(connectionId: string, jobIds: readonly string[]): Promise<void>;
}

/** Maximum size of a stored request, in bytes. Larger inputs, such as encoded images, belong in job files. */
const MAX_REQUEST_BYTES = 64 * 1024;

export type Storable = { readonly request: JobRequest } | { readonly reason: NotStored };

/** Returns the part of a request that may be stored on this machine, or the reason why nothing of it may be stored. */
export function storableRequest({ s3Config: _, ...request }: JobRequest): Storable {
  if (Buffer.byteLength(JSON.stringify(request)) > MAX_REQUEST_BYTES) return { reason: 'tooLarge' };
  return hasSecret('', request) ? { reason: 'secret' } : { request };
}

function hasSecret(name: string, value: unknown): boolean {
  if (typeof value === 'string') return keyKind(name, value) !== undefined || hasPassword(value);
  if (Array.isArray(value)) return value.some((item) => hasSecret(name, item));
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([member, content]) => hasSecret(member, content));
}

/** Returns whether a text is an address with a password. */
function hasPassword(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) && (URL.parse(text)?.password ?? '') !== '';
}

const MAX_REQUESTS = 200;

const StoredRequest = z.object({ jobId: z.string(), request: JobRequest });

/** Stores requests as files: one folder for each connection, and one file for each job. The files are readable only by the user. */
export class JobRequestStore implements JobRequests {
  readonly #directory: string;
  readonly #onError: (error: unknown) => void;
  /** The last write. Writes run one after the other, so that they agree on the oldest file. */
  #writing: Promise<unknown> = Promise.resolve();

  /** @param onError receives failures of the file system */
  constructor(directory: string, onError: (error: unknown) => void) {
    this.#directory = directory;
    this.#onError = onError;
  }

  async put(connectionId: string, jobId: string, request: JobRequest): Promise<void> {
    const storable = storableRequest(request);
    if ('reason' in storable) await this.remove(connectionId, [jobId]);
    else
      await this.#afterOthers(async () => {
        await mkdir(this.#folder(connectionId), { recursive: true, mode: 0o700 });
        const text = JSON.stringify({ jobId, request: storable.request });
        await writeFile(this.#file(connectionId, jobId), text, { mode: 0o600 });
        await removeOldest(this.#folder(connectionId));
      });
  }

  async get(connectionId: string, jobId: string): Promise<JobRequest | undefined> {
    await this.#writing;
    const text = await readFile(this.#file(connectionId, jobId), 'utf8').catch(() => undefined);
    const stored = text === undefined ? undefined : StoredRequest.safeParse(parseJson(text)).data;
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

  async #afterOthers(write: () => Promise<void>): Promise<void> {
    const written = this.#writing.then(write).catch(this.#onError);
    this.#writing = written;
    await written;
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
