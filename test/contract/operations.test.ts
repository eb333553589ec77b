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

describe('the table of operations', () => {
  it('has each method of each path once', () => {
    const calls = rows.map(([, { method, address, path }]) => `${method} ${address}${path}`);
    assert.equal(new Set(calls).size, calls.length);
  });

  it('sends strictly: no body of the management plane takes a member that the interface does not know', () => {
    for (const [id, row] of rows.filter(([, { body, errorFormat }]) => body && errorFormat !== 'job')) {
      const parsed = row.body?.safeParse({ bogus: 1 });
      const codes = parsed?.error?.issues.map(({ code }) => code) ?? [];
      assert.ok(codes.includes('unrecognized_keys'), id);
    }
  });

  it('reads tolerantly: every answer that is an object keeps members that we do not know', () => {
    for (const [id, { success }] of rows) {
      if (!(success.body instanceof z.ZodObject)) continue;
      assert.ok(success.body.def.catchall, `${id} drops unknown members`);
    }
  });

  it('gives a deletion no body and the status that says so', () => {
    for (const [id, { method, success }] of rows.filter(([, row]) => row.method === 'DELETE')) {
      assert.deepEqual([method, success.status, success.body], ['DELETE', 204, undefined], id);
    }
  });
});

describe('query parameters', () => {
  it('take lists as lists or with commas, and flags and numbers as texts', () => {
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

  it('name what is wrong in a list', () => {
    const query = { countryCodes: 'DE,de', include: 'AVAILABILITY,AVAILABILITY' };
    const { violations } = checkShape(GpuTypesQuery, query);
    assert.deepEqual(violations.map(formatViolation).sort(), [
      '$.countryCodes[1]: must be a country code such as DE',
      '$.include: Too big: expected array to have <=1 items',
    ]);
  });
});

describe('answers', () => {
  it('carry values of enums that are newer than we are', () => {
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

  it('say where a list goes on, or nothing about it', () => {
    assert.equal(EndpointList.parse({ endpoints: [] }).pagination, undefined);
    const page = { endpoints: [], pagination: { nextCursor: 'abc', hasNextPage: true } };
    assert.equal(EndpointList.parse(page).pagination?.nextCursor, 'abc');
  });

  it('of the image model are an image, or what failed', () => {
    const done = { id: 'a', status: 'COMPLETED', output: { image_url: 'https://images.example/1', cost: 0.02 } };
    assert.equal(ImageEditResult.parse(done).output?.image_url, 'https://images.example/1');
    assert.equal(ImageEditResult.parse({ id: 'a', status: 'FAILED', error: 'no image' }).error, 'no image');
  });

  it('of billing need no fee, which is deprecated', () => {
    const amounts = { totalAmount: 1, gpuAmount: 1, cpuAmount: 0, diskAmount: 0 };
    const bucket = { startTime: '2026-01-01T00:00:00Z', endTime: '2026-01-02T00:00:00Z' };
    const report = ServerlessBillingReport.parse({
      records: [{ ...bucket, serverlessId: 's', ...amounts }],
      metadata: { query: { ...bucket, bucketSize: 'day' }, recordCount: 1, uniqueServerlessCount: 1, totals: amounts },
    });
    assert.equal(report.metadata.totals.feeAmount, undefined);
  });
});

describe('a change of a network volume', () => {
  it('changes something', () => {
    assert.equal(UpdateNetworkVolumeBody.safeParse({}).success, false);
    assert.equal(UpdateNetworkVolumeBody.safeParse({ size: 9 }).success, false);
    assert.equal(UpdateNetworkVolumeBody.safeParse({ size: 10 }).success, true);
  });
});
