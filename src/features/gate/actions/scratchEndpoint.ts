import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { ApiError, type ErrorKind } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import { listAll } from '../../../client/listAll.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { parseJson } from '../../../contract/parsedJson.ts';
import { isLocked, lockFolder, removeFolder } from '../../../machine/folderLock.ts';
import { shown } from '../../../text/shownText.ts';
import { GateError } from './gateError.ts';

/*
 * Endpoints of a gate on a connected platform, which cost money. A note on this machine has the name of each one before it is created, so that
 * the endpoints of a gate that was killed can be deleted.
 */

export interface ScratchPlace {
  readonly client: Client;
  /** Name of the platform in notes, such as its host. */
  readonly platform: string;
  /** Folder of the notes. */
  readonly notes: string;
}

const NOTE_FILE = 'endpoint.json';
const Note = z.object({ platform: z.string(), name: z.string() });

/** Failures after which the platform may have created the endpoint. */
const AMBIGUOUS: readonly ErrorKind[] = ['canceled', 'network', 'timeout', 'server'];

/** An endpoint that is created once, and deleted at the end. */
export class ScratchEndpoint {
  readonly name: string;
  readonly #client: Client;
  readonly #closeNote: (isDone: boolean) => Promise<void>;
  #state: { readonly kind: 'none' | 'unknown' } | { readonly kind: 'exists'; readonly id: string } = { kind: 'none' };

  private constructor(client: Client, name: string, closeNote: (isDone: boolean) => Promise<void>) {
    this.#client = client;
    this.name = name;
    this.#closeNote = closeNote;
  }

  /** Chooses the name of an endpoint, and notes it. */
  static async note({ client, platform, notes }: ScratchPlace, endpoint: string): Promise<ScratchEndpoint> {
    const name = `${endpoint}-gate-${randomBytes(4).toString('hex')}`;
    const folder = path.join(notes, name.replaceAll(/[^\w-]/g, '_'));
    // A note that cannot be written does not prevent the gate.
    const unlock = await writeNote(folder, { platform, name }).catch(() => undefined);
    return new ScratchEndpoint(client, name, async (isDone) => {
      await unlock?.();
      if (isDone) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    });
  }

  /** Creates the endpoint. @param send must not be aborted, because nothing would be known about the endpoint */
  async create(send: () => Promise<Endpoint>): Promise<Endpoint> {
    try {
      const endpoint = await send();
      this.#state = { kind: 'exists', id: endpoint.id };
      return endpoint;
    } catch (error) {
      if (error instanceof ApiError && AMBIGUOUS.includes(error.kind)) this.#state = { kind: 'unknown' };
      throw error;
    }
  }

  /** Deletes the endpoint if it exists, and its note. After a failure, the note stays for the next gate. @throws GateError `notDeleted` */
  async delete(): Promise<void> {
    try {
      if (this.#state.kind === 'exists') await deleteById(this.#client, this.#state.id);
      if (this.#state.kind === 'unknown') await deleteByName(this.#client, this.name);
    } catch (error) {
      await this.#closeNote(false);
      throw new GateError(
        'notDeleted',
        shown`the endpoint “${this.name}” of the gate could not be deleted: ${(error as Error).message}`,
      );
    }
    await this.#closeNote(true);
  }
}

/**
 * Deletes the endpoints of gates on this platform whose process was killed.
 *
 * @returns the names of the deleted endpoints
 * @throws ApiError
 */
export async function deleteLeftovers({ client, platform, notes }: ScratchPlace): Promise<readonly string[]> {
  const deleted: string[] = [];
  for (const entry of await readdir(notes).catch(() => [])) {
    const folder = path.join(notes, entry);
    if (await isLocked(folder).catch(() => true)) continue;
    const text = await readFile(path.join(folder, NOTE_FILE), 'utf8').catch(() => undefined);
    const note = text === undefined ? undefined : Note.safeParse(parseJson(text)).data;
    // A note without content belongs to a gate that is about to start, or that has created nothing.
    if (note?.platform !== platform) continue;
    if (await deleteByName(client, note.name)) deleted.push(note.name);
    await removeFolder(folder).catch(() => false);
  }
  return deleted;
}

async function writeNote(folder: string, note: z.infer<typeof Note>): Promise<(() => Promise<void>) | undefined> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const unlock = await lockFolder(folder);
  await writeFile(path.join(folder, NOTE_FILE), JSON.stringify(note));
  return unlock;
}

async function deleteByName(client: Client, name: string): Promise<boolean> {
  const endpoints = await listAll(client, 'listEndpoints', {}, 'endpoints');
  const found = endpoints.filter((endpoint) => endpoint.name === name);
  for (const { id } of found) await deleteById(client, id);
  return found.length > 0;
}

/** A repeated call can find that the first one was successful. */
async function deleteById(client: Client, id: string): Promise<void> {
  await client.deleteEndpoint({ id }).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.kind !== 'notFound') throw error;
  });
}
