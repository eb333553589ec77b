import type { Expectation, JobFile } from '../../../contract/jobFile.ts';
import type { RecordedJob } from '../../../contract/recordedJob.ts';
import { parseWorkerError } from '../../../contract/workerError.ts';
import { jobFileText } from '../../jobs/model/jobInput.ts';

/**
 * What the test of a recorded job expects.
 *
 * - `success`: the job meets the expectations of the recording, or else is completed. The test of a failed job fails until the worker is fixed.
 * - `recorded`: the job ends as it did, such as an error for a bad input, or the same output.
 */
export type TestExpects = 'success' | 'recorded';

/** Returns the text of a job file that runs a recorded job as a test. @param input the recorded input without references */
export function testFileText(
  { endpoint, request: { policy }, result, expect: given }: RecordedJob,
  input: JobFile['input'],
  expects: TestExpects,
): string {
  const isSuccess = expects === 'success' && (given !== undefined || result.status !== 'COMPLETED');
  const expect = isSuccess ? (given ?? SUCCESS) : recordedEnd(result);
  return jobFileText({ endpoint, input, ...(policy && { policy }), expect });
}

const SUCCESS: Expectation = { status: 'COMPLETED' };

function recordedEnd({ status, output, error }: RecordedJob['result']): Expectation {
  if (status === 'COMPLETED') return { status, ...(output !== undefined && { output }) };
  const message = parseWorkerError(error)?.message.trim() ?? '';
  return { status, ...(status === 'FAILED' && message !== '' && { error: message }) };
}
