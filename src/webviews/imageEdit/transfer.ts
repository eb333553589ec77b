import type { ImageEditToHost } from './messages.ts';

/* Images that are dropped on the page or pasted into it. */

/** Types in which the editor describes dragged files, in order of preference. */
const URI_TYPES = ['application/vnd.code.uri-list', 'text/uri-list'] as const;

/** Returns whether dragged data can contain an image. */
export function canBeImage({ types }: DataTransfer): boolean {
  return ['Files', ...URI_TYPES].some((type) => types.includes(type));
}

/**
 * Returns the message for dropped or pasted data, or undefined if it contains neither a file nor an address.
 *
 * @param maxBytes maximum size of a file
 */
export async function messageOf(data: DataTransfer, maxBytes: number): Promise<ImageEditToHost | undefined> {
  const address = firstAddress(data);
  if (address !== undefined) {
    return /^https?:/i.test(address) ? { type: 'sourceUrl', url: address } : { type: 'sourceUri', uri: address };
  }
  const [file] = data.files;
  if (!file) return undefined;
  if (file.size > maxBytes) return { type: 'sourceTooLarge', bytes: file.size };
  return { type: 'sourceBytes', name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) };
}

function firstAddress(data: DataTransfer): string | undefined {
  const list = URI_TYPES.map((type) => data.getData(type)).find((text) => text !== '');
  return list?.split(/\r?\n/).find((line) => line !== '' && !line.startsWith('#'));
}
