import * as z from 'zod';
import { isEnvironmentName } from './environmentNames.ts';
import { violation, type Violation } from './violation.ts';

/* The environments of a manifest, such as staging and production. */

/** Maximum number of environments, because each one is checked like a manifest of its own. */
const MAX_ENVIRONMENTS = 20;

const EnvironmentPart = z
  .strictObject({
    connection: z
      .string()
      .min(1)
      .optional()
      .meta({
        description:
          'Connection of the environment: the host of its platform, the name of the connection, or local for the local platform. ' +
          'A host has the same name for everyone. Default: the current connection.',
        examples: ['api.example.com'],
      }),
    production: z
      .boolean()
      .optional()
      .meta({
        description:
          'true: people use the endpoint, so a deployment asks for the name of the environment. Always true for the name production. Default: false.',
        examples: [true],
      }),
    patch: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({
        description:
          'Fields that differ in the environment, as a JSON merge patch (RFC 7396): null removes a field, and a list replaces the whole list. Default: none.',
        examples: [{ workers: { max: 1 } }],
      }),
  })
  .meta({ description: 'An environment. Its name has lowercase letters, digits, and hyphens, at most 32.' });

export const Environments = z.record(z.string(), EnvironmentPart).meta({
  description:
    'Environments of the endpoint, each with a connection and the fields that differ. Each deployment is for one of them. Not sent to any platform. Default: none.',
  examples: [{ staging: { patch: { name: 'hello-staging' } }, production: { connection: 'api.example.com' } }],
});
export type Environments = z.infer<typeof Environments>;

/** Checks the names of environments and the reach of their patches, also beside fields that do not match the schema. */
export function checkEnvironments(environments: unknown): readonly Violation[] {
  if (!isMap(environments)) return [];
  const all = Object.entries(environments);
  const path = (...inner: readonly string[]) => ['x-environments', ...inner];
  return [
    ...all.flatMap(([name]) => (isEnvironmentName(name) ? [] : violation(path(name), 'environmentName', {}))),
    ...all.flatMap(([name, one]) =>
      isMap(one) && isMap(one['patch']) && Object.hasOwn(one['patch'], 'x-environments')
        ? violation(path(name, 'patch', 'x-environments'), 'environmentsInPatch', {})
        : [],
    ),
    ...(all.length > MAX_ENVIRONMENTS ? [violation(path(), 'tooManyEnvironments', { maximum: MAX_ENVIRONMENTS })] : []),
  ];
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Schema = Readonly<Record<string, unknown>>;

/** Returns the JSON Schema of a manifest in which a patch has the fields of the manifest, none of them required outside lists. */
export function withPatchFields({ properties, ...manifest }: Schema): Schema {
  const { 'x-environments': environments, ...fields } = properties as Readonly<Record<string, Schema>>;
  if (!environments) return { properties, ...manifest };
  const environment = environments['additionalProperties'] as Schema;
  const { patch, ...others } = environment['properties'] as Readonly<Record<string, Schema>>;
  const { additionalProperties, propertyNames, ...texts } = patch ?? {};
  const patched = { ...texts, properties: mapped(fields, optional), additionalProperties: false };
  const withPatch = { ...environment, properties: { ...others, patch: patched } };
  return {
    ...manifest,
    properties: { ...fields, 'x-environments': { ...environments, additionalProperties: withPatch } },
  };
}

function optional({ required, ...schema }: Schema): Schema {
  const { properties, oneOf } = schema;
  return {
    ...schema,
    ...(properties !== undefined && { properties: mapped(properties as Readonly<Record<string, Schema>>, optional) }),
    ...(oneOf !== undefined && { oneOf: (oneOf as readonly Schema[]).map(optional) }),
  };
}

function mapped<Value>(record: Readonly<Record<string, Value>>, map: (value: Value) => Value): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
