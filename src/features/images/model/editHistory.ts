import type { EditedImage, EditSource, FinishedEdit } from './imageEdit.ts';

/* Interfaces between the image editor and the stored edits. */

/** Maximum size of an image that is its own thumbnail, in bytes. */
export const MAX_THUMBNAIL_BYTES = 204_800;

/** A stored edit. */
export interface EditHistoryItem {
  readonly id: string;
  /** Time of the edit, in ms since the epoch. */
  readonly time: number;
  readonly prompt: string;
  /** Name of the file, or the address of the source image. */
  readonly sourceName: string;
  /** Path of the file with the edited image. */
  readonly resultPath: string;
  /** A small version of the edited image: the bytes of a PNG or JPEG file. */
  readonly thumbnail?: Uint8Array | undefined;
}

/** A stored edit with its images. */
export interface StoredEdit {
  readonly edit: FinishedEdit;
  readonly image: EditedImage;
  /** Undefined if the source was a file that is too large to be stored. */
  readonly source: EditSource | undefined;
}

/** The stored edits, newest first. */
export interface EditHistory {
  readonly items: readonly EditHistoryItem[];
  readonly onDidChange: (listener: () => unknown) => { dispose(): void };
  /** Stores a finished edit with its images. Logs a failure, which does not affect the edit. */
  keep(edit: FinishedEdit, image: EditedImage, source: EditSource): Promise<void>;
  /** Reads an edit with its images. Resolves with undefined if it is no longer stored. */
  load(id: string): Promise<StoredEdit | undefined>;
  /** Stores a thumbnail of an edit, as the bytes of a PNG file. Does nothing if the edit is not stored, or has a thumbnail. */
  addThumbnail(id: string, bytes: Uint8Array): Promise<void>;
  /** Opens the edited image in the editor. @throws UserError if its file no longer exists */
  open(id: string): Promise<void>;
  /** Removes the edit from the history. */
  remove(id: string): Promise<void>;
}

/** Saves an edited image. Returns the URI of its file as text, or undefined if the user canceled. @throws UserError */
export type SaveEdit = (image: EditedImage, source: EditSource) => Promise<string | undefined>;

/** Functions of stored edits that the image editor calls. */
export interface EditStorage {
  readonly history: EditHistory;
  readonly save: SaveEdit;
}
