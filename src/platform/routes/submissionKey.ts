import { IDEMPOTENCY_KEY_HEADER, isIdempotencyKey, MAX_IDEMPOTENCY_KEY_LENGTH } from '../../contract/job.ts';
import { Refusal } from '../domain/refusal.ts';

/** Returns the key of a submission, or undefined if the request has none. @throws Refusal 400 */
export function submissionKey(header: (name: string) => string | undefined): string | undefined {
  const key = header(IDEMPOTENCY_KEY_HEADER);
  if (key === undefined || isIdempotencyKey(key)) return key;
  const allowed = `1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} visible ASCII characters`;
  throw new Refusal(400, `the header ${IDEMPOTENCY_KEY_HEADER} must have ${allowed}`);
}
