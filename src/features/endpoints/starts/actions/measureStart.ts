import type { WorkerStartTrace, XRayEvent, XRayProblem } from '../../../../contract/control/controlTraces.ts';
import type { RequestContext } from '../../../../client/context.ts';
import { xRayStart } from '../../../../client/controlEvents.ts';

/** The platform could not measure a start. The message is the platform's. */
export class MeasurementRefusal extends Error {
  readonly problem: XRayProblem | undefined;

  constructor({ problem, reason }: XRayEvent) {
    super(reason ?? 'the start could not be measured');
    this.name = 'MeasurementRefusal';
    this.problem = problem as XRayProblem | undefined;
  }
}

/**
 * Starts a further worker of an endpoint, measures its start, and ends it. The signal ends it earlier.
 *
 * @throws ApiError; MeasurementRefusal
 */
export async function measureStart(
  context: RequestContext,
  endpointId: string,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (event: XRayEvent) => void },
): Promise<WorkerStartTrace> {
  for await (const event of xRayStart(context, endpointId, signal)) {
    if (event.event === 'failed') throw new MeasurementRefusal(event);
    if (event.event === 'ready' && event.start) return event.start;
    onProgress(event);
  }
  throw new MeasurementRefusal({ event: 'failed' });
}
