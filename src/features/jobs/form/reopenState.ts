import type * as vscode from 'vscode';
import { matching, object, text } from '../../../kit/smallSchema.ts';
import { isObject } from '../model/jobInput.ts';
import type { FormEndpoint } from './formValueStore.ts';

/* What a page keeps, so that the editor opens its form again after a reload. */

const State = object(
  { name: text },
  { file: text, on: object({ connectionId: text, endpointId: text }), input: matching(isObject) },
);

/** The endpoint that a form is for. */
export interface FormTarget {
  readonly name: string;
  readonly on?: FormEndpoint | undefined;
}

export interface ReopenState extends FormTarget {
  /** URI of the job file. Undefined for a form without a file. */
  readonly file?: string | undefined;
  /** Values of a form without a file: those that may be stored. */
  readonly input?: Readonly<Record<string, unknown>> | undefined;
}

export function reopenState(
  { name, on }: FormTarget,
  document: vscode.TextDocument | undefined,
  input: ReopenState['input'],
): ReopenState {
  return { name, ...(on && { on }), ...(document ? { file: document.uri.toString() } : input && { input }) };
}

/** Returns the kept state of a page; undefined if it is not one, such as that of another version. */
export function readReopenState(stored: unknown): ReopenState | undefined {
  return isObject(stored) ? State.safeParse(stored['reopen']).data : undefined;
}
