import { KeyedState, type StateStorage } from '../../../kit/keyedState.ts';
import { matching } from '../../../kit/smallSchema.ts';
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
