import type { JobFormPicture } from './messages.ts';

/** Addresses of the pictures of this page by their IDs. They last as long as the page. */
const addresses = new Map<string, string>();

export function keepPicture({ id, mediaType, bytes }: JobFormPicture): void {
  if (!addresses.has(id))
    addresses.set(id, URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type: mediaType })));
}

/** Returns the address of a picture. */
export function pictureAddress(id: string | undefined): string | undefined {
  return id === undefined ? undefined : addresses.get(id);
}
