import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { ApiError } from '../../../../client/apiError.ts';
import { imageResultOf } from '../../../../client/imageResult.ts';
import { readRows } from '../../../jobs/batch/batchFiles.ts';
import { linesOf } from '../../../jobs/batch/actions/writeResults.ts';
import type { BatchState } from '../../../jobs/batch/model/batchState.ts';
import type { ResultLine } from '../../../jobs/batch/model/resultTable.ts';
import { replaceFile } from '../../../replaceFile.ts';
import { UserError } from '../../../../vscode/userError.ts';
import { writeInside } from '../../history/actions/writeInside.ts';
import { folderSegments } from '../../history/model/fileName.ts';
import { extensionOf } from '../../history/model/keptRecord.ts';
import type { EditedImage } from '../../model/imageEdit.ts';
import { readSavedFiles, SavedFiles } from './savedFiles.ts';

/** Folder of the edited images. */
export interface EditedFolder {
  /** Folder that must contain it. */
  readonly root: string;
  readonly name: string;
}

/** Returns the folder beside the source, or inside of it if the source may not have files beside it. */
export function editedFolderOf(source: string, isInside: boolean): EditedFolder {
  return { root: isInside ? source : path.dirname(source), name: `${path.basename(source)}-edited` };
}

export interface SaveImagesOptions {
  /** Folder of the batch. */
  readonly folder: string;
  readonly state: BatchState;
  readonly target: EditedFolder;
  readonly fetchImage: (url: string) => Promise<EditedImage>;
  readonly signal: AbortSignal;
  /** Called after each saved image. */
  readonly onImage?: () => void;
}

/** A line of `results.jsonl`. Times are in ms, and the cost is in USD. */
export interface EditedLine {
  /** Path of the source relative to its folder. */
  readonly source: string;
  /** Path of the edited image relative to the folder of the results. */
  readonly edited?: string | undefined;
  readonly status: string;
  readonly jobId: string | undefined;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly cost?: number | undefined;
  readonly delayTime?: number | undefined;
  readonly executionTime?: number | undefined;
  readonly workerId?: string | undefined;
  readonly error?: string | undefined;
}

export interface SavedImages {
  /** Path of the file that lists all images. */
  readonly results: string;
  /** Number of edited images that could not be saved. A later call tries again. */
  readonly unsaved: number;
}

/**
 * Saves the edited images of a batch with the names of their sources, and lists all images with parameters, costs, and failures. An image
 * that is already saved is not fetched again, and no other file is replaced.
 *
 * @throws the reason of the signal; OutsideError; the error of the file system, such as a full disk
 */
export async function saveEditedImages(options: SaveImagesOptions): Promise<SavedImages> {
  const { folder, state, target, signal } = options;
  const saved = await SavedFiles.open(folder);
  const lines: EditedLine[] = [];
  let unsaved = 0;
  try {
    const parameters = await parametersOf(folder, state.header.rows);
    const results = await saved.name(RESULTS_KEY, () => write(target, RESULTS, Buffer.from('')));
    for await (const line of linesOf(folder, state)) {
      signal.throwIfAborted();
      const image = imageResultOf({ status: isCompleted(line) ? 'COMPLETED' : 'FAILED', output: line.output }, 0);
      const edited = { ...editedLine(line, parameters), ...(image?.cost !== undefined && { cost: image.cost }) };
      if (!image || line.jobId === undefined) {
        lines.push(edited);
        continue;
      }
      try {
        const name = await saved.name(line.jobId, async () => {
          const { bytes, mediaType } = await options.fetchImage(image.url);
          return write(target, withExtension(edited.source, mediaType), bytes);
        });
        lines.push({ ...edited, edited: name });
        options.onImage?.();
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof UserError || error instanceof ApiError)) throw error;
        unsaved++;
        lines.push({ ...edited, error: l10n.t`The edited image was not saved. ${error.message}` });
      }
    }
    const file = path.join(target.root, target.name, results);
    await replaceFile(file, async (add) => {
      for (const line of lines) await add(`${JSON.stringify(line)}\n`);
    });
    return { results: file, unsaved };
  } finally {
    await saved.close();
  }
}

/** Returns the number of images of a batch that were saved. Images of rows that were sent again count too. */
export async function savedImages(folder: string): Promise<number> {
  const names = await readSavedFiles(folder);
  return names.size - (names.has(RESULTS_KEY) ? 1 : 0);
}

const RESULTS = 'results.jsonl';
const RESULTS_KEY = 'results';

const isCompleted = ({ status }: ResultLine): boolean => status === 'COMPLETED';

function editedLine(line: ResultLine, parameters: EditedLine['parameters']): EditedLine {
  const { reference, status, jobId, delayTime, executionTime, workerId, error } = line;
  // The members have the order in which they are written.
  const places = { source: String(reference), edited: undefined };
  return { ...places, status, error, cost: undefined, jobId, parameters, delayTime, executionTime, workerId };
}

/** Returns the input that all rows have in common. */
async function parametersOf(folder: string, rows: number): Promise<EditedLine['parameters']> {
  for await (const { body } of readRows(folder, rows)) {
    if (!body) continue;
    const { image: _, ...parameters } = body.input;
    return parameters;
  }
  return {};
}

function withExtension(source: string, mediaType: string): string {
  const { dir, name } = path.posix.parse(source.replaceAll('\\', '/'));
  return path.posix.join(dir, `${name}.${extensionOf(mediaType) ?? 'img'}`);
}

/** Writes a file with the first free name. Returns its path relative to the folder of the edited images. */
async function write({ root, name }: EditedFolder, relative: string, bytes: Uint8Array): Promise<string> {
  const { dir, name: base, ext } = path.posix.parse(relative);
  const segments = folderSegments(dir) ?? [];
  const file = await writeInside(root, [name, ...segments], numbered(base, ext), bytes);
  return path.posix.join(...segments, path.basename(file));
}

function* numbered(base: string, extension: string): Generator<string> {
  yield `${base}${extension}`;
  for (let number = 2; ; number++) yield `${base}-${number}${extension}`;
}
