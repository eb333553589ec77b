import type { AnswerOf } from '../contract/operation.ts';
import {
  controlOperations,
  type ControlOperationId,
  type ControlOperations,
} from '../contract/control/controlOperations.ts';
import type { ArgumentsOf } from './client.ts';
import { contextOf, type ClientOptions, type RequestContext } from './context.ts';
import { methods } from './methods.ts';
import type { CallOptions } from './request.ts';

/** Client with a method for each operation of the control API that has a JSON response. Methods throw `ApiError`. */
export type ControlClient = {
  readonly [Id in ControlCallableId]: (
    args: ArgumentsOf<ControlOperations[Id]>,
    options?: CallOptions,
  ) => Promise<AnswerOf<ControlOperations[Id]>>;
};

type ControlCallableId = {
  [Id in ControlOperationId]: ControlOperations[Id] extends
    { success: { events: true } | { type: string } } | { bodyType: string }
    ? never
    : Id;
}[ControlOperationId];

/** Creates a client for the control API of a local platform. */
export function createControlClient(options: ClientOptions): ControlClient {
  return controlClientOf(contextOf(options));
}

/** Creates a client for the control API that shares the state of another client of the local platform. */
export function controlClientOf(context: RequestContext): ControlClient {
  return methods(controlOperations, context) as unknown as ControlClient;
}
