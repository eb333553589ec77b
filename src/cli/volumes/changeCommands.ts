import type { NetworkVolume, VolumeType } from '../../contract/networkVolume.ts';
import { volumeMonthlyUsd } from '../../contract/volumePrices.ts';
import { readMounts } from '../../features/volumes/actions/readMounts.ts';
import { deleteFolder, exists, isFolder } from '../../features/volumes/actions/fileTree.ts';
import { withoutControls } from '../../text/shownText.ts';
import { withSession, type ConnectionOptions, type Session } from '../connection/openSession.ts';
import { confirm } from '../program/ask.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';
import { withFiles } from './fileSession.ts';
import { placeIn, volumeNamed } from './volumePlace.ts';

interface ChangeFlags extends ConnectionOptions {
  readonly json?: boolean | undefined;
}

export interface CreateFlags extends ChangeFlags {
  readonly name: string;
  readonly dataCenter: string;
  /** In GB. */
  readonly size: number;
  readonly type?: VolumeType | undefined;
}

export interface GrowFlags extends ChangeFlags {
  readonly volume: string;
  /** In GB. */
  readonly size: number;
}

export interface DeleteFlags extends ChangeFlags {
  readonly volume: string;
  readonly yes?: boolean | undefined;
}

export interface RemoveFlags extends ChangeFlags {
  /** `VOLUME:path` */
  readonly place: string;
  readonly recursive?: boolean | undefined;
  readonly yes?: boolean | undefined;
}

/** Creates a volume, and prints its ID. */
export function createCommand(flags: CreateFlags, surroundings: Surroundings): Promise<number> {
  const { name, size, dataCenter, type } = flags;
  return withSession(flags, surroundings, async (session) => {
    const body = { name, size, dataCenter, ...(type && { type }) };
    const volume = await session.client.createNetworkVolume({ body }, { signal: surroundings.signal });
    return report(volume, flags, session, surroundings);
  });
}

/** Grows a volume. */
export function growCommand(flags: GrowFlags, surroundings: Surroundings): Promise<number> {
  const { signal } = surroundings;
  return withSession(flags, surroundings, async (session) => {
    const { id, name, size } = await volumeNamed(session, flags.volume, signal);
    if (flags.size <= size)
      throw new CannotRunError(`the network volume ${name} has ${size} GB, and can only become larger`);
    const volume = await session.client.updateNetworkVolume({ id, body: { size: flags.size } }, { signal });
    return report(volume, flags, session, surroundings);
  });
}

function report(
  volume: NetworkVolume,
  { json }: ChangeFlags,
  session: Session,
  { write, tell }: Pick<Surroundings, 'write' | 'tell'>,
): number {
  const { id, name, size, dataCenter } = volume;
  const monthlyUsd = volumeMonthlyUsd(volume);
  if (json) write(session.json({ ...volume, monthlyUsd }));
  else write(`${session.hide(withoutControls(id))}\n`);
  const price = session.isLocal ? '' : `, about $${monthlyUsd.toFixed(2)} a month`;
  tell(session.hide(withoutControls(`the network volume ${name} has ${size} GB in ${dataCenter}${price}`)));
  return EXIT_CODES.done;
}

/** Deletes a volume with its files after a confirmation. Refuses while an endpoint mounts it. */
export function deleteCommand(flags: DeleteFlags, surroundings: Surroundings): Promise<number> {
  const { signal, tell } = surroundings;
  return withSession(flags, surroundings, async (session) => {
    const { id, name, size } = await volumeNamed(session, flags.volume, signal);
    const users = await readMounts(session.client, id, { signal });
    if (users.length > 0) throw new CannotRunError(`the volume is mounted by ${users.slice(0, 10).join(', ')}`);
    const question = withoutControls(
      `Delete the network volume ${name} (${size} GB) on ${session.name} with its files?`,
    );
    if (!flags.yes && !(await confirm(question, surroundings))) return EXIT_CODES.failed;
    await session.client.deleteNetworkVolume({ id }, { signal });
    if (flags.json) surroundings.write(session.json({ id, name }));
    tell(withoutControls(`deleted the network volume ${name}`));
    return EXIT_CODES.done;
  });
}

/** Deletes a file or a folder of a volume after a confirmation. */
export function removeCommand(flags: RemoveFlags, surroundings: Surroundings): Promise<number> {
  const { signal, tell, write } = surroundings;
  const { volume: named, path } = placeIn(flags.place);
  if (path === '')
    throw new CannotRunError('the path is missing; volumes delete deletes a whole volume', EXIT_CODES.usage);
  return withFiles(flags, { volume: named }, surroundings, async ({ files, volume, session }) => {
    const folder = await isFolder(files, path, { signal });
    if (!folder && !(await exists(files, path, { signal })))
      throw new CannotRunError(`the network volume ${volume.name} has no ${path}`);
    if (folder && !flags.recursive) throw new CannotRunError(`${path} is a folder, which needs --recursive`);
    const object = folder ? `the folder ${path} with its files` : `the file ${path}`;
    const question = withoutControls(`Delete ${object} from the network volume ${volume.name}?`);
    if (!flags.yes && !(await confirm(question, surroundings))) return EXIT_CODES.failed;
    if (folder) await deleteFolder(files, path, { signal });
    else await files.delete(path, { signal });
    if (flags.json) write(session.json({ volume: { id: volume.id, name: volume.name }, path }));
    tell(withoutControls(`deleted ${path}`));
    return EXIT_CODES.done;
  });
}
