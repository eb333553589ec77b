/** An edited image. Times are milliseconds since the epoch. */
export interface StoredImage {
  /** Cannot be guessed: who knows it may see the image. */
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly createdAt: number;
  /** From then on it is not there any more. */
  readonly expiresAt: number;
}

/**
 * Edited images. They are kept with everything else, so that an image, its job and its charge are written together or not at all,
 * and whoever copies the data has the images too.
 */
export interface ImageStore {
  insert(image: StoredImage): void;
  get(name: string): StoredImage | undefined;
  /** Removes those that expired by then, with their bytes. */
  removeExpired(now: number): void;
  /** The moment the next image expires. */
  nextExpiry(): number | undefined;
}
