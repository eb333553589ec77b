import type { Job } from '../../../contract/job.ts';
import { jsonBytes } from './jsonPieces.ts';
import { imageOf } from './resultImages.ts';

/** Content of a file with the whole output of a job. */
export interface SavedOutput {
  /** Extension of the file, without the dot. */
  readonly extension: string;
  readonly bytes: () => Promise<Uint8Array>;
}

const DATA_URL = /^data:([\w.+/-]{0,100})(?:;[^;,]{0,100}){0,5};base64,/i;
/** Extensions of the types whose name is not the extension. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'text/plain': 'txt',
  'audio/mpeg': 'mp3',
  'audio/x-wav': 'wav',
  'image/jpeg': 'jpg',
};

/** Returns the file of an output: the content of a data URL, a text as it is, and any other value as JSON. Undefined without an output. */
export function savedOutput({ output }: Pick<Job, 'output'>): SavedOutput | undefined {
  if (output === undefined || output === null) return undefined;
  if (typeof output !== 'string') return { extension: 'json', bytes: () => jsonBytes(output) };
  const image = imageOf(output, undefined);
  if (image?.kind === 'embedded')
    return { extension: image.extension, bytes: () => Promise.resolve(Buffer.from(image.base64, 'base64')) };
  const [head = '', type = ''] = DATA_URL.exec(output.slice(0, 1_000)) ?? [];
  if (head === '') return { extension: 'txt', bytes: () => Promise.resolve(Buffer.from(output)) };
  const content = output.slice(head.length);
  return { extension: extensionOf(type.toLowerCase()), bytes: () => Promise.resolve(Buffer.from(content, 'base64')) };
}

function extensionOf(type: string): string {
  const subtype = type.split('/')[1] ?? '';
  return EXTENSIONS[type] ?? (/^[a-z0-9]{2,5}$/.test(subtype) ? subtype : 'bin');
}
