import { ApiError } from '../../client/apiError.ts';
import { isFolder } from '../../features/volumes/actions/fileTree.ts';
import { downloadAll, uploadAll, type Progress } from '../../features/volumes/actions/transferFolders.ts';
import { dataSize } from '../../text/quantities.ts';
import { withoutControls } from '../../text/shownText.ts';
import type { ConnectionOptions } from '../connection/openSession.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';
import { withFiles, type FileSession } from './fileSession.ts';
import { placeIn } from './volumePlace.ts';

export interface TransferFlags extends ConnectionOptions {
  readonly json?: boolean | undefined;
}

export interface PutFlags extends TransferFlags {
  /** Local files and folders, and then `VOLUME:path` of a folder. */
  readonly places: readonly string[];
}

export interface GetFlags extends TransferFlags {
  /** `VOLUME:path` of a file or a folder. */
  readonly place: string;
  /** Local folder. */
  readonly folder: string;
}

/** Uploads files and folders to a folder of a volume. */
export function putCommand(flags: PutFlags, surroundings: Surroundings): Promise<number> {
  const [target = '', ...rest] = flags.places.toReversed();
  const sources = rest.toReversed();
  if (sources.length === 0 || !target.includes(':'))
    throw new CannotRunError('the last argument must be the target, as VOLUME:folder', EXIT_CODES.usage);
  const { volume, path } = placeIn(target);
  return withFiles(flags, { volume }, surroundings, (opened) =>
    transfer('uploaded', flags, opened, surroundings, (options) =>
      uploadAll(opened.files, sources, path === '' ? '' : `${path}/`, options),
    ),
  );
}

/** Downloads a file or a folder of a volume into a local folder. */
export function getCommand(flags: GetFlags, surroundings: Surroundings): Promise<number> {
  const { volume, path } = placeIn(flags.place);
  return withFiles(flags, { volume }, surroundings, async (opened) => {
    const { files } = opened;
    const { signal } = surroundings;
    const key = path !== '' && (await isFolder(files, path, { signal })) ? `${path}/` : path;
    return transfer('downloaded', flags, opened, surroundings, (options) =>
      downloadAll(files, key, flags.folder, options).catch((error: unknown) => {
        const isMissing = error instanceof ApiError && error.kind === 'notFound';
        throw isMissing ? new CannotRunError(`the network volume ${opened.volume.name} has no ${path}`) : error;
      }),
    );
  });
}

interface Options {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

async function transfer(
  verb: 'uploaded' | 'downloaded',
  { json }: TransferFlags,
  { session, volume }: FileSession,
  { show, tell, write, signal }: Surroundings,
  run: (options: Options) => Promise<number>,
): Promise<number> {
  let bytes = 0;
  const files = await run({
    signal,
    onProgress: (progress) => {
      ({ bytes } = progress);
      show?.(progressWords(progress));
    },
  });
  if (json) write(session.json({ volume: { id: volume.id, name: volume.name }, files, bytes }));
  tell(withoutControls(`${verb} ${files} ${files === 1 ? 'file' : 'files'} (${dataSize(bytes)})`));
  return EXIT_CODES.done;
}

function progressWords({ files, totalFiles, bytes, totalBytes }: Progress): string {
  const percent = totalBytes === 0 ? 100 : Math.floor((100 * bytes) / totalBytes);
  if (bytes === totalBytes && files < totalFiles) return `${percent}% · completing the last file`;
  const counted = totalFiles === 1 ? '' : `${files} of ${totalFiles} files, `;
  return `${percent}% · ${counted}${dataSize(bytes)} of ${dataSize(totalBytes)}`;
}
