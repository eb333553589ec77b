import * as z from 'zod';
import { resultsFile } from './batchFiles.ts';
import { byteLinesOf } from './byteLines.ts';
import type { BatchState } from './model/batchState.ts';

const Ended = z.object({
  row: z.int().min(1),
  id: z.string().optional(),
  status: z.string(),
  executionTime: z.number().optional(),
});
type Ended = z.infer<typeof Ended>;

/** Finds the results of rows whose entries in the journal are lost. Each result is on disk before its entry. */
export async function recoverResults(folder: string, state: BatchState): Promise<void> {
  for await (const { bytes, at, isComplete } of byteLinesOf(resultsFile(folder))) {
    const result = isComplete ? resultIn(bytes.toString('utf8')) : undefined;
    if (!result || !isResultOf(state, result)) continue;
    const { row, status, executionTime } = result;
    const ms = executionTime === undefined ? {} : { ms: executionTime };
    state.apply({ kind: 'ended', row, status, at, length: bytes.length + 1, ...ms });
  }
}

/** Returns whether a result belongs to the current job of its row, and not to an earlier one. */
function isResultOf(state: BatchState, { row, id }: Ended): boolean {
  if (row > state.header.rows) return false;
  switch (state.stateOf(row)) {
    case 'accepted':
      return state.jobOf(row) === id;
    case 'sending':
    case 'pending':
      return state.attemptsOf(row) === 0;
    default:
      return false;
  }
}

function resultIn(text: string): Ended | undefined {
  try {
    return Ended.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
