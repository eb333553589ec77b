import { variable } from '../../contract/environment.ts';
import { HOSTED_VARIABLES } from '../../account/connections/model/hostedVariables.ts';
import type { ValueSource } from '../../account/secrets/envReferences.ts';

/**
 * Values of references in manifests, from environment variables. Remembers the values, so that they can be removed from results. The API key
 * is never a value.
 */
export class EnvironmentValues implements ValueSource {
  readonly #environment: NodeJS.ProcessEnv;
  readonly #used = new Set<string>();

  constructor(environment: NodeJS.ProcessEnv) {
    this.#environment = environment;
  }

  /** Values of all references so far. */
  get used(): readonly string[] {
    return [...this.#used];
  }

  variable(name: string): string | undefined {
    if (name.toUpperCase() === HOSTED_VARIABLES.apiKey) return undefined;
    const value = variable(this.#environment, name);
    if (value !== undefined) this.#used.add(value);
    return value;
  }

  secret(name: string): Promise<string | undefined> {
    return Promise.resolve(this.variable(name));
  }
}
