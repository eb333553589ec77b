import { parseJson } from '../../../contract/parsedJson.ts';
import { subsetMismatches } from '../../jobs/model/expectations/checkExpectations.ts';
import { MAX_MISMATCHES, type Mismatch } from '../../jobs/model/expectations/mismatch.ts';

/** The expectations of a test about the response to a request. */
export interface ResponseExpectation {
  /** Default: any status from 200 to 299. */
  readonly status?: number;
  /** JSON that the body contains. In a body that is not JSON, a text that it contains. */
  readonly body?: unknown;
}

/** Returns the expectation in a text such as `status 200` or `body {"greeting": "Hello"}`, or undefined if it is invalid. */
export function expectationIn(text: string): ResponseExpectation | undefined {
  const [, member, value = ''] = /^(status|body)\s+(.*)$/.exec(text) ?? [];
  if (member === 'status') return /^[1-5]\d\d$/.test(value) ? { status: Number(value) } : undefined;
  const body = member === undefined ? undefined : parseJson(value);
  return body === undefined ? undefined : { body };
}

/** Returns the expectations that a response violates, at most `MAX_MISMATCHES`. @param body text of the body */
export function checkResponse(
  expect: ResponseExpectation,
  { status, body }: { readonly status: number; readonly body: string },
): readonly Mismatch[] {
  const isExpected = expect.status === undefined ? status >= 200 && status <= 299 : status === expect.status;
  const wrongStatus: Mismatch[] = isExpected
    ? []
    : [
        {
          code: 'wrongResponseStatus',
          path: ['status'],
          member: ['status'],
          expected: expect.status ?? '2xx',
          actual: status,
        },
      ];
  return [...wrongStatus, ...bodyMismatches(expect.body, body)].slice(0, MAX_MISMATCHES);
}

function bodyMismatches(expected: unknown, text: string): Mismatch[] {
  if (expected === undefined) return [];
  const json = parseJson(text);
  if (json === undefined && typeof expected === 'string' && text.includes(expected)) return [];
  return subsetMismatches(expected, json ?? text, ['body']).map((found) => ({ ...found, member: found.path }));
}
