import { controlOperations } from '../contract/control/controlOperations.ts';
import { controlMetricsOperations } from '../contract/control/metricsOperations.ts';
import type { AnswerOf } from '../contract/operation.ts';
import type { ArgumentsOf } from './client.ts';
import type { RequestContext } from './context.ts';
import { methods } from './methods.ts';
import type { CallOptions } from './request.ts';

const operations = { ...controlMetricsOperations, getClock: controlOperations.getClock };
type Rows = typeof operations;

/** Client for the metrics of a local platform, and for its time. Methods throw `ApiError`. */
export type MetricsClient = {
  readonly [Id in keyof Rows]: (args: ArgumentsOf<Rows[Id]>, options?: CallOptions) => Promise<AnswerOf<Rows[Id]>>;
};

/** Creates a client for the metrics of a local platform. */
export function createMetricsClient(context: RequestContext): MetricsClient {
  return methods(operations, context) as unknown as MetricsClient;
}
