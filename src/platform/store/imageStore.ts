/** An edited image. Times are milliseconds since the epoch. */
export interface StoredImage {
  /** Random name that cannot be guessed. Anyone with the name may see the image. */
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/**
 * Edited images. They are in the same database as all other data. An image, its job, and its charge are written together or not at all,
 * and a copy of the data includes the images.
 */
export interface ImageStore {
  insert(image: StoredImage): void;
  get(name: string): StoredImage | undefined;
  /** Removes the images that have expired, with their bytes. */
  removeExpired(now: number): void;
  /** Returns the time at which the next image expires. */
  nextExpiry(): number | undefined;
}
