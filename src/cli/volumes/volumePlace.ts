import { listAll } from '../../client/listAll.ts';
import type { S3Files } from '../../client/s3/s3Files.ts';
import type { NetworkVolume } from '../../contract/networkVolume.ts';
import { filesOf } from '../../features/volumes/actions/fileTree.ts';
import type { Session } from '../connection/openSession.ts';
import { s3Setup } from '../connection/hostedSetup.ts';
import { CannotRunError } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';

/** A volume and a path in it, as `VOLUME:path`. */
export interface GivenPlace {
  /** Name or ID of the volume. */
  readonly volume: string;
  /** Without slashes at its ends. Empty for the whole volume. */
  readonly path: string;
}

/** Parses `VOLUME` or `VOLUME:path`. @throws CannotRunError */
export function placeIn(text: string): GivenPlace {
  const at = text.indexOf(':');
  const [volume, path] = at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
  if (volume === '') throw new CannotRunError(`${text} names no volume; write VOLUME:path`);
  const names = path.split('/').filter((name) => name !== '');
  if (names.some((name) => name === '.' || name === '..'))
    throw new CannotRunError(`the path ${path} cannot contain “.” and “..”`);
  return { volume, path: names.join('/') };
}

/** Returns the volume with this name or ID. @throws CannotRunError if there is none or there are several, and ApiError */
export async function volumeNamed(
  { client, name: platform }: Pick<Session, 'client' | 'name'>,
  nameOrId: string,
  signal: AbortSignal,
): Promise<NetworkVolume> {
  const volumes = await listAll(client, 'listNetworkVolumes', {}, 'networkVolumes', { signal });
  const byId = volumes.find(({ id }) => id === nameOrId);
  const [volume, ...others] = byId ? [byId] : volumes.filter(({ name }) => name === nameOrId);
  if (!volume) throw new CannotRunError(`${platform} has no network volume ${nameOrId}`);
  if (others.length > 0) {
    const ids = [volume, ...others].map(({ id }) => id).join(', ');
    throw new CannotRunError(`several volumes have the name ${nameOrId}; use one of the IDs ${ids}`);
  }
  return volume;
}

/** Returns a client of the files of a volume. @throws CannotRunError without a key for files */
export function openFiles(
  session: Session,
  volume: NetworkVolume,
  { environment }: Pick<Surroundings, 'environment'>,
): S3Files {
  const { client, s3 } = session;
  if (s3) return filesOf(client.context, s3, volume);
  const setup = s3Setup(environment);
  throw new CannotRunError(
    'problem' in setup ? setup.problem : 'the platform has no interface to the files of volumes',
  );
}
