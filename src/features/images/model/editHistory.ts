import type { EditParameters, EditedImage, EditSource, FinishedEdit } from './imageEdit.ts';

/* Interfaces between the image editor and the stored edits. */

/** A stored edit. */
export interface EditHistoryItem {
  readonly id: string;
  /** Time of the edit, in ms since the epoch. */
  readonly time: number;
  readonly parameters: EditParameters;
  /** Name of the file, or the address of the source image. */
  readonly sourceName: string;
  /** Path of the file with the edited image. */
  readonly resultPath: string;
  /** A small version of the edited image: the bytes of a PNG or JPEG file. */
  readonly thumbnail?: Uint8Array | undefined;
}

/** The stored edits, newest first. */
export interface EditHistory {
  readonly items: readonly EditHistoryItem[];
  readonly onDidChange: (listener: () => unknown) => { dispose(): void };
  /** Opens the edited image in the editor. @throws UserError if its file no longer exists */
  open(id: string): Promise<void>;
  /** Removes the edit from the history. */
  remove(id: string): Promise<void>;
}

/** Saves an edited image. Returns the URI of its file as text, or undefined if the user canceled. @throws UserError */
export type SaveEdit = (edit: FinishedEdit, image: EditedImage, source: EditSource) => Promise<string | undefined>;
