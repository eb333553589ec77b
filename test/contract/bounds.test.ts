// Clauses of the interface: Endpoints 7, maxima.
import assert from 'node:assert/strict';
import type * as z from 'zod';
import { ImageEditJobRequest } from '../../src/contract/imageEdit.ts';
import { Manifest } from '../../src/contract/manifest.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { RECORDS } from '../../src/platform/store/sqlite/storedRows.ts';
import { unbounded } from './unbounded.ts';

/** Schemas for external input: bodies and queries of the API and the control API, including the seed. */
const requests: [string, z.core.$ZodType][] = [
  ...Object.entries<Operation>({ ...operations, ...controlOperations }).flatMap(([id, { body, query }]) => [
    ...(body ? [[`body of ${id}`, body] as [string, z.core.$ZodType]] : []),
    ...(query ? [[`query of ${id}`, query] as [string, z.core.$ZodType]] : []),
  ]),
  ['body of a queued image edit', ImageEditJobRequest],
  ['manifest', Manifest],
];

/** Schemas of stored records, which can come from a snapshot. */
const records = Object.entries<z.core.$ZodType>(RECORDS).map(([kind, schema]): [string, z.core.$ZodType] => [
  `stored record of ${kind}`,
  schema,
]);

describe('schemas for external input', () => {
  for (const [what, schema] of [...requests, ...records]) {
    it(`bound every number and list length: ${what}`, () => {
      assert.deepEqual(unbounded(schema), []);
    });
  }
});
