import type * as vscode from 'vscode';
import { KeyedState, type StateStorage } from '../../../kit/keyedState.ts';
import { matching, object, text } from '../../../kit/smallSchema.ts';
import type { JobFormField, JobFormMember } from '../../../webviews/jobForm/messages.ts';
import { storableRequest } from '../actions/jobRequests.ts';
import { isObject } from '../model/jobInput.ts';

type Input = Readonly<Record<string, unknown>>;

/** The endpoint of a form, on the connection at the time when the form was opened. */
export interface FormEndpoint {
  readonly connectionId: string;
  readonly endpointId: string;
}

/** Maximum length of a stored value, in UTF-16 code units. */
const LONGEST_VALUE = 8_192;

/**
 * Stores the last values of the form of each endpoint, and those of its open form, in the state of the workspace. Files, hidden values, and
 * values that look like secrets are not stored.
 */
export class FormValueStore {
  readonly #values: KeyedState<Record<string, unknown>>;
  /** Values of open forms. An editor in a browser stores the state of its pages only each minute, and this state at once. */
  readonly #open: KeyedState<Record<string, unknown>>;

  constructor(storage: StateStorage) {
    const options = { schema: matching(isObject), max: 20 };
    this.#values = new KeyedState(storage, { name: 'jobs.formValues', ...options });
    this.#open = new KeyedState(storage, { name: 'jobs.openForms', ...options });
  }

  get(connectionId: string, endpointId: string): Input | undefined {
    return this.#values.get(connectionId, endpointId);
  }

  async put(connectionId: string, endpointId: string, fields: readonly JobFormField[], input: Input): Promise<void> {
    await this.#values.put(connectionId, endpointId, rememberedInput(fields, input));
  }

  /** Returns the values that the open form of an endpoint had last. */
  ofOpenForm({ connectionId, endpointId }: FormEndpoint): Input | undefined {
    return this.#open.get(connectionId, endpointId);
  }

  /** @param input values that may be stored, or undefined for a form that was closed */
  async putOpenForm(
    { connectionId, endpointId }: FormEndpoint,
    input: Record<string, unknown> | undefined,
  ): Promise<void> {
    await this.#open.change(connectionId, [[endpointId, input]]);
  }
}

/** Returns the values of the fields that may be stored. */
export function rememberedInput(fields: readonly JobFormField[], input: Input): Record<string, unknown> {
  const kept = fields.flatMap(({ name, control }): [string, unknown][] => {
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    if (value === undefined) return [];
    if (control.kind === 'group' && isObject(value)) {
      const known = control.members.filter((member) => isStorable(member, value[member.name]));
      return [[name, Object.fromEntries(known.map((member) => [member.name, value[member.name]]))]];
    }
    return isStorable({ name, control }, value) ? [[name, value]] : [];
  });
  return Object.fromEntries(kept);
}

interface Stored {
  readonly name: string;
  readonly control: JobFormMember['control'] | JobFormField['control'];
}

function isStorable({ name, control }: Stored, value: unknown): boolean {
  const { kind } = control.kind === 'list' ? control.item : control;
  const isHidden = control.kind === 'text' && control.isSecret;
  if (value === undefined || kind === 'file' || isHidden) return false;
  const text = JSON.stringify(value);
  return (
    text.length <= LONGEST_VALUE &&
    !text.includes('"data:') &&
    'request' in storableRequest({ input: { [name]: value } })
  );
}

/* State of a page, with which the editor opens its form again after a reload. */

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
