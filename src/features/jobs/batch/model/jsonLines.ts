import { MAX_RUN_BYTES } from '../../../../contract/job.ts';
import { linesOf } from './lines.ts';
import { broken, rowOfText, type SourceRow } from './sourceRow.ts';

/** White space makes a line longer than the body that it contains. */
const MAX_LINE_BYTES = 2 * MAX_RUN_BYTES;

/** Reads JSON Lines: each line is an input or a whole body. Empty lines are skipped. */
export async function* jsonLinesRows(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<SourceRow, void> {
  for await (const { number, text, fault } of linesOf(bytes, MAX_LINE_BYTES)) {
    if (fault !== undefined || text === undefined)
      yield broken(number, { code: fault === 'notUtf8' ? 'notUtf8' : 'tooLarge' });
    else if (text.trim() !== '') yield rowOfText(number, text);
  }
}
