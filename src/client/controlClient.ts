import type { AnswerOf } from '../contract/operation.ts';
import {
  controlOperations,
  type ControlOperationId,
  type ControlOperations,
} from '../contract/control/controlOperations.ts';
import { contextOf, methods, type ArgumentsOf, type ClientOptions } from './client.ts';
import type { CallOptions } from './request.ts';

/** Every operation of the control API that is answered with JSON, as a method; each throws `ApiError`. */
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

/** Speaks the control API to a local platform. */
export function createControlClient(options: ClientOptions): ControlClient {
  return methods(controlOperations, contextOf(options)) as unknown as ControlClient;
}
