import * as z from 'zod';
import * as billing from './billing.ts';
import * as billingReports from './billingReports.ts';
import * as catalog from './catalog.ts';
import * as dateTime from './dateTime.ts';
import * as endpoint from './endpoint.ts';
import * as endpointSettings from './endpointSettings.ts';
import * as imageEdit from './imageEdit.ts';
import * as job from './job.ts';
import * as networkVolume from './networkVolume.ts';
import { operations } from './operations.ts';
import type { Operation } from './operation.ts';
import * as problem from './problem.ts';
import * as registry from './registry.ts';
import * as release from './release.ts';
import * as schema from './schema.ts';
import * as template from './template.ts';
import * as worker from './worker.ts';
import * as workerLogs from './workerLogs.ts';

const modules: readonly object[] = [
  billing,
  billingReports,
  catalog,
  dateTime,
  endpoint,
  endpointSettings,
  imageEdit,
  job,
  networkVolume,
  problem,
  registry,
  release,
  schema,
  template,
  worker,
  workerLogs,
];

/**
 * Returns the schemas of the contract by name, for the `components` of the OpenAPI document. Queries are omitted, because their fields
 * become parameters.
 */
export function componentSchemas(): Record<string, z.ZodType> {
  const queries = new Set<unknown>(Object.values<Operation>(operations).map(({ query }) => query));
  const named = modules.flatMap((module) => Object.entries<unknown>({ ...module }));
  return Object.fromEntries(
    named.filter((entry): entry is [string, z.ZodType] => entry[1] instanceof z.ZodType && !queries.has(entry[1])),
  );
}
