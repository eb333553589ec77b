import { ApiError } from '../../client/apiError.ts';
import { listAll } from '../../client/listAll.ts';
import type { S3Files } from '../../client/s3/s3Files.ts';
import type { NetworkVolume } from '../../contract/networkVolume.ts';
import { entriesIn, filesOf } from '../../features/volumes/actions/fileTree.ts';
import { dataSize } from '../../text/quantities.ts';
import { ToolError } from '../model/toolError.ts';
import { FOREIGN, type CallContext } from './agentTool.ts';

/* Network volumes and their files, for a model. */

/** Maximum size of a file whose text is returned, in bytes. */
const MAX_TEXT = 64 * 1_024;
/** Maximum number of entries of a folder. */
const MAX_ENTRIES = 500;

/** Lists the network volumes of the current platform. @throws ApiError */
export async function listVolumes(context: CallContext): Promise<object> {
  const { client, name } = context.connection();
  const { signal } = context;
  const volumes = await listAll(client, 'listNetworkVolumes', {}, 'networkVolumes', { signal });
  return {
    connection: name,
    volumes: volumes.map(({ id, name: own, size, dataCenter, type }) => ({
      ...{ id, name: own, sizeGb: size, dataCenter, type },
    })),
  };
}

/** Lists a folder of a volume, or returns the text of a file. @throws ToolError, ApiError */
export async function readVolume(nameOrId: string, given: string, context: CallContext): Promise<object> {
  const { s3, client } = context.connection();
  const volume = await volumeNamed(nameOrId, context);
  if (!s3)
    throw new ToolError(
      'notPossible',
      'The connection has no key for files. A user enters it with Open Files of a volume.',
    );
  const files = filesOf(client.context, s3, volume);
  const path = given.split('/').filter(Boolean).join('/');
  const head = { volume: { id: volume.id, name: volume.name }, path };
  const file = path === '' || given.endsWith('/') ? undefined : await fileAt(files, path, context.signal);
  if (file) return { ...head, ...file, note: FOREIGN };
  const folder = path === '' ? '' : `${path}/`;
  const { signal } = context;
  const page = await files.list(folder, { maxKeys: MAX_ENTRIES }, { signal });
  if (path !== '' && page.objects.length + page.directories.length === 0)
    throw new ToolError('notFound', `“${volume.name}” has no ${path}.`);
  return {
    ...head,
    entries: entriesIn(page, folder).map(({ path: own, size, modifiedAt }) => ({
      ...{ path: own, bytes: size },
      modifiedAt: modifiedAt === undefined ? undefined : new Date(modifiedAt).toISOString(),
    })),
    ...(page.next !== undefined && { more: `Only the first ${MAX_ENTRIES} entries are listed.` }),
    note: FOREIGN,
  };
}

async function fileAt(files: S3Files, path: string, signal: AbortSignal): Promise<object | undefined> {
  try {
    const { size, modifiedAt, etag } = await files.head(path, { signal });
    const facts = { bytes: size, modifiedAt: new Date(modifiedAt).toISOString() };
    if (size > MAX_TEXT) return { ...facts, text: `not returned, because it exceeds ${dataSize(MAX_TEXT)}` };
    if (size === 0) return { ...facts, text: '' };
    const { bytes } = await files.get(path, { first: 0, last: size - 1, ifMatch: etag, limit: MAX_TEXT }, { signal });
    return { ...facts, text: textOf(bytes) ?? 'binary data' };
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'notFound') return undefined;
    throw error;
  }
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

async function volumeNamed(nameOrId: string, context: CallContext): Promise<NetworkVolume> {
  const { client } = context.connection();
  const { signal } = context;
  const volumes = await listAll(client, 'listNetworkVolumes', {}, 'networkVolumes', { signal });
  const [volume, ...others] = volumes.filter(({ id, name }) => id === nameOrId || name === nameOrId);
  const names = volumes.slice(0, 20).map(({ name }) => name);
  if (!volume)
    throw new ToolError('notFound', `There is no network volume “${nameOrId}”. The names are: ${names.join(', ')}`);
  if (others.length > 0) throw new ToolError('ambiguous', `Several volumes have the name “${nameOrId}”. Use an ID.`);
  return volume;
}
