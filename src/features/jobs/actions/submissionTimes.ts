import type { Clock } from '../../../client/clock.ts';
import type { StoredJob } from '../model/storedJob.ts';

interface TimedAnswer<Answer> {
  readonly answer: Answer;
  readonly times: Required<Pick<StoredJob, 'submittedAt' | 'answeredAt'>>;
}

/** Submits a job. Resolves with the answer, and with the times of the attempt that the platform accepted. */
export async function timed<Answer>(
  clock: Pick<Clock, 'now'>,
  submit: (onSend: () => void) => Promise<Answer>,
): Promise<TimedAnswer<Answer>> {
  let submittedAt = clock.now();
  const answer = await submit(() => {
    submittedAt = clock.now();
  });
  return { answer, times: { submittedAt, answeredAt: clock.now() } };
}
