import assert from 'node:assert/strict';
import type * as z from 'zod';
import { ImageEditJobRequest } from '../../src/contract/imageEdit.ts';
import { Manifest } from '../../src/contract/manifest.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { storedRecords } from '../../src/platform/store/sqlite/storedRecords.ts';
import { unbounded } from './unbounded.ts';

/** Every schema that something from outside is read by: bodies and queries of the interface and of the control API, with the seed. */
const requests: [string, z.core.$ZodType][] = [
  ...Object.entries<Operation>({ ...operations, ...controlOperations }).flatMap(([id, { body, query }]) => [
    ...(body ? [[`body of ${id}`, body] as [string, z.core.$ZodType]] : []),
    ...(query ? [[`query of ${id}`, query] as [string, z.core.$ZodType]] : []),
  ]),
  ['body of a queued image edit', ImageEditJobRequest],
  ['manifest', Manifest],
];

/** Schemas of records that are read from the database, and so from a snapshot. */
const records = Object.entries<z.core.$ZodType>(storedRecords).map(([kind, schema]): [string, z.core.$ZodType] => [
  `stored record of ${kind}`,
  schema,
]);

describe('what is read from outside', () => {
  for (const [what, schema] of [...requests, ...records]) {
    it(`has a lower and an upper bound for every number, and a longest length for every list: ${what}`, () => {
      assert.deepEqual(unbounded(schema), []);
    });
  }
});
