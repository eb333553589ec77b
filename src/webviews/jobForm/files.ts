import { MAX_FILE_BYTES, type JobFormPath, type JobFormToHost } from './messages.ts';

/* Files that are dropped on a field or pasted into it. */

/** Types in which the editor describes dragged files, in order of preference. */
const URI_TYPES = ['application/vnd.code.uri-list', 'text/uri-list'] as const;

/** Returns the path of the field under a drop or a paste, if it takes files. */
export function pathUnder(target: EventTarget | null): JobFormPath | undefined {
  const path = target instanceof Element ? target.closest('[data-path]')?.getAttribute('data-path') : undefined;
  return path ? (JSON.parse(path) as JobFormPath) : undefined;
}

/** Returns whether dragged data can contain a file. */
export function canBeFile({ types }: DataTransfer): boolean {
  return ['Files', ...URI_TYPES].some((type) => types.includes(type));
}

/** Returns the message for a dropped or pasted file, or undefined for other data. */
export async function fileMessage(
  data: DataTransfer,
  path: JobFormPath,
  nextRevision: () => number,
): Promise<JobFormToHost | undefined> {
  const list = URI_TYPES.map((type) => data.getData(type)).find((text) => text !== '');
  const uri = list?.split(/\r?\n/).find((line) => line !== '' && !line.startsWith('#'));
  if (uri !== undefined && !/^https?:/i.test(uri)) return { type: 'fileUri', path, uri, revision: nextRevision() };
  const [file] = data.files;
  if (!file) return undefined;
  const { name, size } = file;
  if (size > MAX_FILE_BYTES) return { type: 'fileTooLarge', path, name, bytes: size, revision: nextRevision() };
  const bytes = new Uint8Array(await file.arrayBuffer());
  return { type: 'fileBytes', path, name, bytes, revision: nextRevision() };
}
