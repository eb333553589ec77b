import * as l10n from '@vscode/l10n';
import { ApiError } from '../../../client/apiError.ts';
import type { Environment } from '../../../contract/environment.ts';
import { hideSecrets, withoutSecrets } from '../../../account/withoutSecrets.ts';
import {
  referencesOf,
  referenceText,
  resolveEnv,
  type EnvReference,
  type ValueSource,
} from '../../../account/secrets/envReferences.ts';
import type { Resolve } from '../model/deployment/compare.ts';

/* References in `env` are resolved in the last step before a request. A resolved body is never shown or logged. */

/** Supplies no values. */
export const NO_VALUES: ValueSource = { variable: () => undefined, secret: () => Promise.resolve(undefined) };

/** Thrown if references have no value. */
export class UnresolvedReferencesError extends Error {
  readonly references: readonly EnvReference[];

  constructor(references: readonly EnvReference[]) {
    super(l10n.t`unresolved references: ${references.map(referenceText).join(', ')}`);
    this.name = 'UnresolvedReferencesError';
    this.references = references;
  }
}

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
  const texts = environments.flatMap((env = {}) => Object.values(env));
  const references = referencesOf(Object.fromEntries(texts.entries()));
  const values = new Map<string, string>();
  for (const reference of references) {
    const { kind, name } = reference;
    const value = await (kind === 'env' ? source.variable(name) : source.secret(name));
    if (value !== undefined) values.set(referenceText(reference), value);
  }
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

interface WithEnv {
  readonly env?: Environment | undefined;
}

/** Resolves the references in the `env` of a body. Returns the values that replaced them, too. @throws UnresolvedReferencesError */
export async function resolveBody<Body extends WithEnv>(
  body: Body,
  source: ValueSource = NO_VALUES,
): Promise<{ readonly body: Body; readonly values: readonly string[] }> {
  if (!body.env) return { body, values: [] };
  const { resolve, values, missing } = await readEnvValues([body.env], source);
  if (missing.length > 0) throw new UnresolvedReferencesError(missing);
  const env = Object.entries(body.env).map(([name, text]) => [name, resolve(text)]);
  return { body: { ...body, env: Object.fromEntries(env) }, values };
}

/** Removes resolved values from an error. */
export type Redact = (error: ApiError) => ApiError;

/**
 * Sends a body with its references resolved. Every sender of a manifest uses this function.
 *
 * @param send sends the body. Passes `redact` to the client, so that reports of retries contain no resolved value either
 * @throws the error of `send` without resolved values; UnresolvedReferencesError before the request
 */
export async function sendResolved<Body extends WithEnv, Result>(
  body: Body,
  source: ValueSource | undefined,
  send: (body: Body, redact: Redact) => Promise<Result>,
): Promise<Result> {
  const { body: resolved, values } = await resolveBody(body, source);
  return sendValues(values, (redact) => send(resolved, redact));
}

/** Sends resolved values. @throws the error of `send` without the values */
export async function sendValues<Result>(
  values: readonly string[],
  send: (redact: Redact) => Promise<Result>,
): Promise<Result> {
  const redact: Redact = (error) => (values.length > 0 ? withoutSecrets(error, values) : error);
  try {
    return await send(redact);
  } catch (error) {
    throw error instanceof ApiError ? redact(error) : withoutValues(error, values);
  }
}

function withoutValues(error: unknown, values: readonly string[]): unknown {
  if (values.length === 0 || !(error instanceof Error)) return error;
  const hidden = new Error(hideSecrets(error.message, values));
  hidden.name = error.name;
  return hidden;
}
