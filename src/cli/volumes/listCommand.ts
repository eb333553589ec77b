import { listAll } from '../../client/listAll.ts';
import { ApiError } from '../../client/apiError.ts';
import { volumeMonthlyUsd } from '../../contract/volumePrices.ts';
import { listFolder, type Entry } from '../../features/volumes/actions/fileTree.ts';
import { withoutControls } from '../../text/shownText.ts';
import { withSession, type ConnectionOptions } from '../connection/openSession.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';
import { withFiles, type FileSession } from './fileSession.ts';
import { placeIn } from './volumePlace.ts';

export interface ListFlags extends ConnectionOptions {
  /** `VOLUME:path`. Undefined: the volumes. */
  readonly place?: string | undefined;
  readonly recursive?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Prints the volumes of the account, or the files of a folder of one. */
export function listCommand(flags: ListFlags, surroundings: Surroundings): Promise<number> {
  const { place: text, recursive: flat, json } = flags;
  if (text === undefined) return listVolumes(flags, surroundings);
  const place = placeIn(text);
  const { write, signal } = surroundings;
  return withFiles(flags, place, surroundings, async (opened) => {
    const { session, volume } = opened;
    const all: Entry[] = [];
    for await (const entries of entriesAt(opened, place.path, { flat, signal }))
      if (json) all.push(...entries);
      else for (const line of entries.map(lineOf)) write(`${session.hide(line)}\n`);
    if (json) {
      const entries = all.map(({ path, size, modifiedAt }) => ({
        ...{ path, kind: size === undefined ? 'folder' : 'file', size },
        modifiedAt: modifiedAt === undefined ? undefined : new Date(modifiedAt).toISOString(),
      }));
      write(session.json({ volume: { id: volume.id, name: volume.name }, path: place.path, entries }));
    }
    return EXIT_CODES.done;
  });
}

/** Yields the entries of a folder, or the file with this path. @throws CannotRunError if there is neither */
async function* entriesAt(
  { files, volume }: FileSession,
  path: string,
  { flat, signal }: { readonly flat: boolean | undefined; readonly signal: AbortSignal },
): AsyncGenerator<readonly Entry[]> {
  const folder = path === '' ? '' : `${path}/`;
  let isFolder = path === '';
  for await (const entries of listFolder(files, folder, { flat }, { signal })) {
    isFolder ||= entries.length > 0;
    yield entries;
  }
  if (isFolder) return;
  const find = async (key: string) => {
    try {
      return await files.head(key, { signal });
    } catch (error) {
      if (error instanceof ApiError && error.kind === 'notFound') return undefined;
      throw error;
    }
  };
  const file = await find(path);
  if (file) yield [{ path, size: file.size, modifiedAt: file.modifiedAt }];
  else if (!(await find(folder))) throw new CannotRunError(`the network volume ${volume.name} has no ${path}`);
}

function lineOf({ path, size, modifiedAt }: Entry): string {
  const time = modifiedAt === undefined ? '' : `${new Date(modifiedAt).toISOString().slice(0, 19)}Z`;
  return withoutControls(`${(size === undefined ? '' : String(size)).padStart(14)}  ${time.padEnd(20)}  ${path}`);
}

const monthly = (usd: number): string => `$${usd.toFixed(2)}/month`;

function listVolumes(flags: ListFlags, surroundings: Surroundings): Promise<number> {
  const { write, signal } = surroundings;
  return withSession(flags, surroundings, async (session) => {
    const { client } = session;
    const volumes = await listAll(client, 'listNetworkVolumes', {}, 'networkVolumes', { signal });
    const rows = volumes.map((volume) => {
      const { id, name, size, dataCenter, type } = volume;
      return { id, name, size, dataCenter, type, monthlyUsd: volumeMonthlyUsd(volume) };
    });
    if (flags.json) write(session.json({ connection: session.name, volumes: rows }));
    else
      for (const { id, name, size, dataCenter, monthlyUsd } of rows)
        write(
          `${session.hide(withoutControls(`${id}  ${`${size} GB`.padStart(8)}  ${dataCenter.padEnd(12)}  ${monthly(monthlyUsd).padStart(14)}  ${name}`))}\n`,
        );
    return EXIT_CODES.done;
  });
}
