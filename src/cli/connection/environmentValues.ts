import { variable } from '../../contract/environment.ts';
import { HOSTED_VARIABLES, S3_VARIABLES } from '../../account/connections/model/hostedVariables.ts';
import type { ValueSource } from '../../account/secrets/envReferences.ts';

/** Variables with keys of the user. */
const KEYS: readonly string[] = [HOSTED_VARIABLES.apiKey, S3_VARIABLES.s3SecretAccessKey];

/**
 * Values of references in manifests, from environment variables. Remembers the values, so that they can be removed from results. The keys of
 * the user are never values.
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
    if (KEYS.includes(name.toUpperCase())) return undefined;
    const value = variable(this.#environment, name);
    if (value !== undefined) this.#used.add(value);
    return value;
  }

  secret(name: string): Promise<string | undefined> {
    return Promise.resolve(this.variable(name));
  }
}
