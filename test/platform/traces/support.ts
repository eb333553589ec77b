import assert from 'node:assert/strict';
import type { JobTrace, TraceSpan } from '../../../src/contract/control/controlTraces.ts';
import { controlOperations } from '../../../src/contract/control/controlOperations.ts';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import type { Api } from '../support.ts';

interface Spans {
  readonly spans: readonly TraceSpan[];
}

export function traceOf(api: Api, { id: endpointId }: Pick<Endpoint, 'id'>, jobId: string): Promise<JobTrace> {
  return api.call(controlOperations.getJobTrace, { parameters: { endpointId, jobId } });
}

/** Returns the kinds of spans, in order. */
export const kindsOf = ({ spans }: Spans): string[] => spans.map(({ kind }) => kind);

const INNER: readonly string[] = ['pulling', 'creating', 'loading', 'queued', 'running'];

/** Returns the kinds of the spans that divide the time in the queue. */
export const partsOf = (trace: Spans): string[] => kindsOf(trace).filter((kind) => !INNER.includes(kind));

export const spansOf = ({ spans }: Spans, kind: string): TraceSpan[] => spans.filter((span) => span.kind === kind);

export function spanOf(trace: Spans, kind: string): TraceSpan {
  const [span] = spansOf(trace, kind);
  assert.ok(span, `there is a span ${kind} among ${kindsOf(trace).join(', ')}`);
  return span;
}

/** Returns the module that the program imports itself and that took the most time. */
export function longestImport(trace: Spans): TraceSpan | undefined {
  const length = ({ start, end = start }: TraceSpan) => Date.parse(end) - Date.parse(start);
  const own = spansOf(trace, 'importing').filter(({ depth }) => depth === 0);
  return own.toSorted((one, other) => length(other) - length(one))[0];
}
