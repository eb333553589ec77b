import pMap from 'p-map';
import { ApiError } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import { DEFAULT_WAITS, withRetries } from '../../../client/retry.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { EndpointStore } from '../../../account/endpoints/endpointStore.ts';
import type { CreateStep, Step, UpdateStep } from '../model/deployment/deploymentPlan.ts';
import { sendValues, type Redact } from './resolveBody.ts';

/* Sends the chosen steps of a deployment plan. */

export type StepResult =
  | { readonly outcome: 'created' | 'updated'; readonly step: CreateStep | UpdateStep; readonly endpoint: Endpoint }
  | { readonly outcome: 'deleted'; readonly step: Step }
  /**
   * The platform did not accept the step. `uncertain` is true if its response was lost, so that the platform can have accepted the step.
   * A retry must read the endpoints first, because a second request would create a second endpoint.
   */
  | { readonly outcome: 'failed'; readonly step: Step; readonly error: unknown; readonly uncertain: boolean }
  /** The step was not sent, because the user canceled the deployment. */
  | { readonly outcome: 'canceled'; readonly step: Step };

export interface ApplyTarget {
  readonly client: Client;
  /** Values of references in the steps, which errors do not contain. */
  readonly values: readonly string[];
  readonly store: Pick<EndpointStore, 'update' | 'delete' | 'refresh'>;
  /** Called after each created or updated endpoint, before the next request. Must not reject. */
  readonly deployed: (step: CreateStep | UpdateStep, endpoint: Endpoint) => Promise<void>;
  /** Called before each request. */
  readonly starting: (step: Step) => void;
}

/** Maximum number of requests at the same time. */
const CONCURRENCY = 4;

/**
 * Sends the steps, and deletes endpoints after all other steps. Steps with the same name run one after the other. A failed step does not
 * stop the others.
 *
 * The signal stops the deployment before the next request and ends waits for rate limits. A request in progress completes, because a
 * canceled request can still change the platform. Returns a result for each step, in the given order.
 */
export async function applyPlan(
  target: ApplyTarget,
  steps: readonly Step[],
  signal: AbortSignal,
): Promise<readonly StepResult[]> {
  const results = new Map<Step, StepResult>();
  const run = async (group: readonly Step[]) => {
    for (const step of group) results.set(step, await apply(target, step, signal));
  };
  const isDeletion = ({ kind }: Step) => kind === 'delete';
  for (const phase of [steps.filter((step) => !isDeletion(step)), steps.filter(isDeletion)])
    await pMap(Map.groupBy(phase, ({ name }) => name).values(), run, { concurrency: CONCURRENCY });
  if ([...results.values()].some(({ outcome }) => outcome !== 'canceled')) await target.store.refresh();
  return steps.flatMap((step) => results.get(step) ?? []);
}

async function apply(target: ApplyTarget, step: Step, signal: AbortSignal): Promise<StepResult> {
  if (signal.aborted) return { outcome: 'canceled', step };
  target.starting(step);
  try {
    return await send(target, step, signal);
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'canceled') return { outcome: 'canceled', step };
    return { outcome: 'failed', step, error, uncertain: isUncertain(error) };
  }
}

async function send(
  { client, store, values, deployed }: ApplyTarget,
  step: Step,
  signal: AbortSignal,
): Promise<Exclude<StepResult, { outcome: 'failed' | 'canceled' }>> {
  const unlessCanceled = <Answer>(operation: string, call: (redact: Redact) => Promise<Answer>) =>
    sendValues(values, (redact) =>
      withRetries(client.context, { ...WAITS, operation, limits: client.rateLimits, signal }, () => call(redact)),
    );
  switch (step.kind) {
    case 'create': {
      const { body } = step;
      const endpoint = await unlessCanceled('createEndpoint', (redact) =>
        client.createEndpoint({ body }, { waits: 0, redact }),
      );
      await deployed(step, endpoint);
      return { outcome: 'created', step, endpoint };
    }
    case 'update': {
      const { endpoint: before, body } = step;
      const endpoint = await unlessCanceled('updateEndpoint', (redact) =>
        store.update(client, before.id, body, { waits: 0, redact }),
      );
      await deployed(step, endpoint);
      return { outcome: 'updated', step, endpoint };
    }
    case 'delete':
      await unlessCanceled('deleteEndpoint', () => store.delete(client, step.endpoint.id, { waits: 0 })).catch(
        (error: unknown) => {
          // Another client has deleted the endpoint.
          if (!(error instanceof ApiError && error.kind === 'notFound')) throw error;
        },
      );
      return { outcome: 'deleted', step };
  }
}

/** Only the waits for rate limits are outside the call, so that the signal ends them and not the request. */
const WAITS = { repeatable: false, retries: 0, waits: DEFAULT_WAITS } as const;

/** Returns whether the platform can have accepted a request although the call failed. */
function isUncertain(error: unknown): boolean {
  return error instanceof ApiError && ['network', 'timeout', 'server'].includes(error.kind);
}
