// Clauses of the interface: Versioning 3.
import assert from 'node:assert/strict';
import * as z from 'zod';
import { GpuTypesQuery, DataCentersQuery } from '../../src/contract/catalog.ts';
import { ImageEditResult } from '../../src/contract/imageEdit.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { ServerlessBillingReport } from '../../src/contract/billingReports.ts';
import { EndpointList } from '../../src/contract/endpoint.ts';
import { DataCenter } from '../../src/contract/catalog.ts';
import { UpdateNetworkVolumeBody } from '../../src/contract/networkVolume.ts';
import { checkShape } from '../../src/contract/shapeCheck.ts';
import { formatViolation } from '../../src/contract/violation.ts';

const rows = Object.entries<Operation>(operations);

describe('the operation table', () => {
  it('contains each method of each path once', () => {
    const calls = rows.map(([, { method, address, path }]) => `${method} ${address}${path}`);
    assert.equal(new Set(calls).size, calls.length);
  });

  it('rejects unknown fields in bodies of the management API', () => {
    const withBody = rows.filter(([, { body, errorFormat }]) => body && errorFormat !== 'job');
    assert.ok(withBody.length > 0);
    for (const [id, row] of withBody) {
      const parsed = row.body?.safeParse({ bogus: 1 });
      const codes = parsed?.error?.issues.map(({ code }) => code) ?? [];
      assert.ok(codes.includes('unrecognized_keys'), id);
    }
  });

  it('keeps unknown fields in responses', () => {
    for (const [id, { success }] of rows) {
      if (!(success.body instanceof z.ZodObject)) continue;
      assert.ok(success.body.def.catchall, `${id} drops unknown members`);
    }
  });

  it('uses status 204 without a body for deletions', () => {
    const deletions = rows.filter(([, row]) => row.method === 'DELETE');
    assert.ok(deletions.length > 0);
    for (const [id, { method, success }] of deletions) {
      assert.deepEqual([method, success.status, success.body], ['DELETE', 204, undefined], id);
    }
  });
});

describe('query parameters', () => {
  it('accept lists as arrays or comma-separated text, and Booleans and numbers as text', () => {
    assert.deepEqual(GpuTypesQuery.parse({ product: 'POD,SERVERLESS', cudaVersions: ['12.4', '12.11'], count: '2' }), {
      product: ['POD', 'SERVERLESS'],
      cudaVersions: ['12.4', '12.11'],
      count: 2,
    });
    assert.deepEqual(DataCentersQuery.parse({ globalNetwork: 'false', regions: '' }), {
      globalNetwork: false,
      regions: [],
    });
  });

  it('report each invalid entry of a list', () => {
    const query = { countryCodes: 'DE,de', include: 'AVAILABILITY,AVAILABILITY' };
    const { violations } = checkShape(GpuTypesQuery, query);
    assert.deepEqual(violations.map(formatViolation).sort(), [
      '$.countryCodes[1]: must be a country code such as DE',
      '$.include: must have at most 1 item',
    ]);
  });
});

describe('responses', () => {
  it('keep unknown enumeration values of newer services', () => {
    const newer = {
      id: 'x',
      name: 'X',
      region: 'MOON',
      globalNetwork: true,
      networkVolumeTypes: ['FROZEN'],
      compliance: ['NEW'],
      more: 1,
    };
    assert.deepEqual(DataCenter.parse(newer), newer);
  });

  it('contain the next cursor of a list, or no pagination', () => {
    assert.equal(EndpointList.parse({ endpoints: [] }).pagination, undefined);
    const page = { endpoints: [], pagination: { nextCursor: 'abc', hasNextPage: true } };
    assert.equal(EndpointList.parse(page).pagination?.nextCursor, 'abc');
  });

  it('of the image model contain an image or an error', () => {
    const done = { id: 'a', status: 'COMPLETED', output: { image_url: 'https://images.example/1', cost: 0.02 } };
    assert.equal(ImageEditResult.parse(done).output?.image_url, 'https://images.example/1');
    assert.equal(ImageEditResult.parse({ id: 'a', status: 'FAILED', error: 'no image' }).error, 'no image');
  });

  it('of billing can omit the deprecated fee', () => {
    const amounts = { totalAmount: 1, gpuAmount: 1, cpuAmount: 0, diskAmount: 0 };
    const bucket = { startTime: '2026-01-01T00:00:00Z', endTime: '2026-01-02T00:00:00Z' };
    const report = ServerlessBillingReport.parse({
      records: [{ ...bucket, serverlessId: 's', ...amounts }],
      metadata: { query: { ...bucket, bucketSize: 'day' }, recordCount: 1, uniqueServerlessCount: 1, totals: amounts },
    });
    assert.equal(report.metadata.totals.feeAmount, undefined);
  });
});

describe('an update of a network volume', () => {
  it('requires a field, and a size of at least 10 GB', () => {
    assert.equal(UpdateNetworkVolumeBody.safeParse({}).success, false);
    assert.equal(UpdateNetworkVolumeBody.safeParse({ size: 9 }).success, false);
    assert.equal(UpdateNetworkVolumeBody.safeParse({ size: 10 }).success, true);
  });
});
