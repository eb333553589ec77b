import type { Environment } from '../../../contract/environment.ts';
import {
  hasReference,
  referencesOf,
  referenceText,
  resolveEnv,
  type EnvReference,
} from '../../../account/secrets/envReferences.ts';
import type { Resolve } from '../model/deployment/compare.ts';
import { valuesOf } from './resolveBody.ts';
import type { ValueSource } from '../../../account/secrets/envReferences.ts';

/** The values of the references in `env`, read at one moment. They are compared and sent, and never shown or logged. */
export interface EnvValues {
  /** Returns the value of a text in `env`, or undefined if one of its references has no value. */
  readonly resolve: Resolve;
  readonly values: readonly string[];
  /** References without a value. */
  readonly missing: readonly EnvReference[];
}

/** Reads the values of the references in environments. */
export async function readEnvValues(
  environments: readonly (Environment | undefined)[],
  source: ValueSource,
): Promise<EnvValues> {
  const references = referencesOf(Object.fromEntries(texts(environments).entries()));
  const values = await valuesOf(references, source);
  const lookup = (reference: EnvReference) => values.get(referenceText(reference));
  return {
    resolve: (text) => {
      const { env, missing } = resolveEnv({ text }, lookup);
      return missing.length > 0 ? undefined : env['text'];
    },
    values: [...values.values()],
    missing: references.filter((reference) => !values.has(referenceText(reference))),
  };
}

function texts(environments: readonly (Environment | undefined)[]): string[] {
  return environments.flatMap((env = {}) => Object.values(env).filter(hasReference));
}
