import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { MAX_RUN_BYTES } from '../../../../contract/job.ts';
import type { ReadOptions, Source } from '../../../jobs/batch/actions/readSource.ts';
import { broken, rowOf, type SourceRow } from '../../../jobs/batch/model/sourceRow.ts';
import { inputOf } from '../../actions/editImage.ts';
import { readImageFile, SourceError } from '../../actions/readSource.ts';
import type { SentParameters } from '../../model/imageEdit.ts';

/** Maximum size of an image of a batch, in bytes. In a request, three bytes take four characters. */
const MAX_BATCH_IMAGE_BYTES = Math.floor((MAX_RUN_BYTES * 3) / 4);

/**
 * Reads the images of a folder as rows of a batch, which all have the same parameters. A file that cannot be read or edited is a broken
 * row. Holds one image in memory.
 */
export function imageRows(parameters: SentParameters) {
  return async function* (source: Source, { onBytes }: ReadOptions): AsyncGenerator<SourceRow, void> {
    for (const name of source.files) {
      const file = path.join(source.path, name);
      try {
        if ((await stat(file)).size > MAX_BATCH_IMAGE_BYTES) {
          yield broken(name, { code: 'tooLarge' });
          continue;
        }
        const bytes = await readFile(file);
        onBytes(bytes);
        const image = readImageFile(bytes, name);
        yield rowOf(name, { input: inputOf(image.source, parameters) });
      } catch (error) {
        if (!(error instanceof SourceError) && !isFileError(error)) throw error;
        const message = error instanceof SourceError ? error.message : l10n.t('The file cannot be read.');
        yield broken(name, { code: 'unusable', message });
      }
    }
  };
}

const isFileError = (error: unknown): boolean => (error as NodeJS.ErrnoException).syscall !== undefined;
