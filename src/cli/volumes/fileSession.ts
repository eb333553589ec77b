import { ApiError } from '../../client/apiError.ts';
import { hasS3Code } from '../../client/s3/s3Error.ts';
import type { S3Files } from '../../client/s3/s3Files.ts';
import type { NetworkVolume } from '../../contract/networkVolume.ts';
import { TransferError } from '../../features/volumes/actions/transferError.ts';
import { withSession, type ConnectionOptions, type Session } from '../connection/openSession.ts';
import { CannotRunError } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';
import { openFiles, volumeNamed, type GivenPlace } from './volumePlace.ts';

export interface FileSession {
  readonly session: Session;
  readonly volume: NetworkVolume;
  readonly files: S3Files;
}

/** Runs a command with the files of a volume. @throws CannotRunError for errors of the platform, of its files, and of local files */
export function withFiles(
  options: ConnectionOptions,
  { volume: named }: Pick<GivenPlace, 'volume'>,
  surroundings: Surroundings,
  use: (opened: FileSession) => Promise<number>,
): Promise<number> {
  return withSession(options, surroundings, async (session) => {
    const volume = await volumeNamed(session, named, surroundings.signal);
    const files = openFiles(session, volume, surroundings);
    try {
      return await use({ session, volume, files });
    } catch (error) {
      throw explained(error, volume);
    }
  });
}

function explained(error: unknown, { name, id }: NetworkVolume): unknown {
  if (error instanceof TransferError)
    return new CannotRunError(error.problem === 'notPath' ? error.message : `${error.message}; try again`);
  if (hasS3Code(error, 'QuotaExceeded'))
    return new CannotRunError(`the network volume ${name} is full; see cloud-compute volumes grow ${id}`);
  if (error instanceof ApiError && error.kind === 'unauthorized')
    return new CannotRunError(`the platform did not accept the key for files: ${error.message}`);
  if (error instanceof ApiError && (error.kind === 'network' || error.kind === 'timeout'))
    return new CannotRunError(`${error.message}; the same command continues where this one has ended`);
  // An error of the local file system.
  if (error instanceof Error && !(error instanceof ApiError) && 'syscall' in error)
    return new CannotRunError(error.message);
  return error;
}
