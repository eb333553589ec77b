import { controlTraceOperations } from '../contract/control/traceOperations.ts';
import type { AnswerOf } from '../contract/operation.ts';
import type { ArgumentsOf } from './client.ts';
import type { RequestContext } from './context.ts';
import { methods } from './methods.ts';
import type { CallOptions } from './request.ts';

type Rows = typeof controlTraceOperations;

/** Client for the traces of a local platform. Methods throw `ApiError`. */
export type TracesClient = {
  readonly [Id in keyof Rows]: (args: ArgumentsOf<Rows[Id]>, options?: CallOptions) => Promise<AnswerOf<Rows[Id]>>;
};

/** Creates a client for the traces of a local platform. */
export function createTracesClient(context: RequestContext): TracesClient {
  return methods(controlTraceOperations, context) as unknown as TracesClient;
}
