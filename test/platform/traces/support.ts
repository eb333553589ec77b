import type { JobTrace, TraceSpan } from '../../../src/contract/control/controlTraces.ts';
import { controlOperations } from '../../../src/contract/control/controlOperations.ts';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import type { Api } from '../support.ts';

export function traceOf(api: Api, { id: endpointId }: Pick<Endpoint, 'id'>, jobId: string): Promise<JobTrace> {
  return api.call(controlOperations.getJobTrace, { parameters: { endpointId, jobId } });
}

/** Returns the kinds of spans, in order. */
export const kindsOf = ({ spans }: { readonly spans: readonly TraceSpan[] }): string[] => spans.map(({ kind }) => kind);

export function spanOf({ spans }: { readonly spans: readonly TraceSpan[] }, kind: string): TraceSpan {
  const span = spans.find((each) => each.kind === kind);
  if (!span) throw new Error(`no span ${kind} among ${JSON.stringify(spans)}`);
  return span;
}
