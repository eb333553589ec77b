// Clauses of the interface: Resources, billing amounts.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { BillingAmounts } from '../../../src/contract/billing.ts';
import { chargesBy, HOUR_MS, owedBefore, USAGE_KINDS, type Usage } from '../../../src/platform/domain/metering.ts';
import { usd } from '../../../src/platform/domain/money.ts';
import { imageEditCharge, volumeUsage, workerUsage } from '../../../src/platform/domain/usage.ts';

const at = (text: string): number => Date.parse(text);
const run = { id: 'run', endpointId: 'e', startedAt: at('2026-03-18T12:59:58.700Z') };
const MONTH_MS = 30 * 24 * HOUR_MS;

describe('Metering', () => {
  it('has a kind for each billed amount', () => {
    const amounts = ['totalAmount', ...USAGE_KINDS.map((kind) => `${kind}Amount`)];
    assert.deepEqual(amounts, Object.keys(BillingAmounts.shape));
  });

  it("charges a worker's compute per second and its disk per five minutes, as soon as each step begins", () => {
    const [compute, disk] = workerUsage(run, { resource: 'gpu', nanoUsdPerSecond: 310_000, diskGb: 5 });
    assert.ok(compute && disk);
    assert.deepEqual([compute.kind, disk.kind, compute.resourceId], ['serverlessGpu', 'serverlessDisk', 'e']);
    assert.equal(owedBefore(compute, run.startedAt), 0n);
    assert.equal(owedBefore(compute, run.startedAt + 1), 310_000n);
    assert.equal(owedBefore(compute, run.startedAt + 1000), 310_000n);
    assert.equal(owedBefore(compute, run.startedAt + 3400), 4n * 310_000n);
    assert.equal(owedBefore(disk, run.startedAt + 1), owedBefore(disk, run.startedAt + 300_000));
    assert.equal(owedBefore(disk, run.startedAt + MONTH_MS), 500_000_000n);
  });

  it('charges a second that crosses an hour boundary to the hour in which it began', () => {
    const [compute] = workerUsage(run, { resource: 'cpu', nanoUsdPerSecond: 1, diskGb: 0 });
    assert.ok(compute);
    const charges = [...chargesBy(HOUR_MS, compute, run.startedAt, run.startedAt + 3400)];
    assert.deepEqual(
      charges.map(({ at: start, nanoUsd }) => [new Date(start).toISOString(), nanoUsd]),
      [
        ['2026-03-18T12:00:00.000Z', 2n],
        ['2026-03-18T13:00:00.000Z', 2n],
      ],
    );
  });

  it('has no charge for an hour in which nothing accrues', () => {
    const usage: Usage = {
      kind: 'endpoint',
      resourceId: 'r',
      sourceId: 's',
      nanoUsdPerMonth: 1n,
      stepMs: 1_000,
      startedAt: 0,
    };
    assert.deepEqual(
      [...chargesBy(HOUR_MS, usage, 0, MONTH_MS)].map(({ nanoUsd, at: start }) => [nanoUsd, start]),
      [[1n, 15 * 24 * HOUR_MS - HOUR_MS]],
    );
  });

  it('charges the list price for a month of a volume, with a lower price above one TB', () => {
    const month = (size: number, type: 'STANDARD' | 'HIGH_PERFORMANCE'): number =>
      usd(owedBefore(volumeUsage({ id: 'v', size, type }, 0), MONTH_MS));
    assert.deepEqual([month(10, 'STANDARD'), month(1000, 'STANDARD'), month(1100, 'STANDARD')], [0.7, 70, 75]);
    assert.equal(month(100, 'HIGH_PERFORMANCE'), 14);
  });

  it('rounds a fraction of a nano-dollar half up', () => {
    // A second costs one nano-dollar at this price of a month.
    const one = 2_592_000n;
    const owed = (nanoUsdPerMonth: bigint): bigint =>
      owedBefore(
        { kind: 'serverlessGpu', resourceId: 'r', sourceId: 's', nanoUsdPerMonth, stepMs: 1_000, startedAt: 0 },
        1_000,
      );
    assert.deepEqual([owed(one / 2n - 1n), owed(one / 2n), owed(one), owed(one / 2n + one)], [0n, 1n, 1n, 2n]);
  });

  it('charges two cents for an image', () => {
    const charge = imageEditCharge('image-edit', 5, 'owner');
    assert.deepEqual(charge, {
      accountId: 'owner',
      kind: 'endpoint',
      resourceId: 'image-edit',
      nanoUsd: 20_000_000n,
      at: 5,
    });
  });

  it('splits any usage at any times into parts that add up exactly', () => {
    const stretch = fc.record({
      startedAt: fc.integer({ min: 0, max: 2e12 }),
      nanoUsdPerMonth: fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }),
      stepMs: fc.constantFrom(1000, 300_000, HOUR_MS),
      parts: fc.array(fc.integer({ min: 0, max: 3 * 24 * HOUR_MS }), { maxLength: 6 }),
    });
    fc.assert(
      fc.property(stretch, ({ parts, ...prices }) => {
        const usage: Usage = { sourceId: 's', resourceId: 'r', kind: 'serverlessGpu', ...prices };
        let [from, sum] = [usage.startedAt, 0n];
        for (const length of parts) {
          for (const { nanoUsd } of chargesBy(HOUR_MS, usage, from, from + length)) sum += nanoUsd;
          from += length;
        }
        assert.equal(sum, owedBefore(usage, from));
      }),
    );
  });
});
