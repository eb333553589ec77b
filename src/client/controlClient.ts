import type { AnswerOf } from '../contract/operation.ts';
import {
  controlOperations,
  type ControlOperationId,
  type ControlOperations,
} from '../contract/control/controlOperations.ts';
import type { ArgumentsOf } from './client.ts';
import { contextOf, type ClientOptions } from './context.ts';
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
  return methods(controlOperations, contextOf(options)) as unknown as ControlClient;
}
