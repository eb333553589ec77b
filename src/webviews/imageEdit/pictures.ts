/** Object URLs of the pictures that the page shows, by ID. Only they can be shown under the page's policy. */
export class Pictures {
  readonly #addresses = new Map<string, string>();

  add(id: string, bytes: Uint8Array, mediaType: string): void {
    const old = this.#addresses.get(id);
    if (old !== undefined) URL.revokeObjectURL(old);
    this.#addresses.set(id, URL.createObjectURL(new Blob([new Uint8Array(bytes)], { type: mediaType })));
  }

  /** Releases all pictures other than these. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const [id, address] of this.#addresses) {
      if (ids.has(id)) continue;
      URL.revokeObjectURL(address);
      this.#addresses.delete(id);
    }
  }

  get addresses(): ReadonlyMap<string, string> {
    return new Map(this.#addresses);
  }
}

/** Maximum width and height of a thumbnail, in pixels. */
const MAX_SIDE = 160;

/** Returns a small version of a loaded image, as the bytes of a PNG file. Undefined if the browser cannot draw it. */
export async function thumbnailOf(image: HTMLImageElement): Promise<Uint8Array | undefined> {
  const { naturalWidth, naturalHeight } = image;
  const scale = Math.min(1, MAX_SIDE / Math.max(naturalWidth, naturalHeight));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(naturalWidth * scale));
  canvas.height = Math.max(1, Math.round(naturalHeight * scale));
  const context = canvas.getContext('2d');
  if (!context) return undefined;
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  return blob ? new Uint8Array(await blob.arrayBuffer()) : undefined;
}
