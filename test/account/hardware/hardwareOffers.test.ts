import assert from 'node:assert/strict';
import fc from 'fast-check';
import { AVAILABILITY_LEVELS, type CpuType, type GpuType } from '../../../src/contract/catalog.ts';
import { needsOf, NO_NEEDS, type HardwareNeeds } from '../../../src/account/hardware/hardwareNeeds.ts';
import {
  alternatives,
  countReasons,
  hardwareOffers,
  sortedOffers,
  SORTS,
  type HardwareOffer,
  type HardwareStock,
} from '../../../src/account/hardware/hardwareOffers.ts';
import {
  excludedWords,
  nothingFitsWords,
  priceWords,
  reasonWords,
  alternativesText,
} from '../../../src/account/hardware/hardwareWords.ts';
import { hardwareKey } from '../../../src/account/hardware/runTimes.ts';

type Centers = Readonly<Record<string, string>>;

const centersOf = (centers: Centers) =>
  Object.entries(centers).map(([id, availability]) => ({ id, name: id, availability }));

function gpu(pool: string, memory: number, price: number | undefined, centers: Centers = { 'EU-1': 'HIGH' }): GpuType {
  return {
    ...{ id: `NVIDIA ${pool}`, name: pool.toLowerCase(), pool, manufacturer: 'NVIDIA', memory },
    ...{ secure: true, community: false },
    price: { secure: 1, community: 0, ...(price !== undefined && { serverless: price }) },
    maxCount: { secure: 4, community: 0 },
    dataCenters: centersOf(centers),
  };
}

function cpu(id: string, price: number, centers: Centers = { 'EU-1': 'HIGH' }): CpuType {
  return {
    ...{ id, name: `Flavor ${id}`, group: 'g', vcpu: { min: 2, max: 8 }, ramGbPerVcpu: 2 },
    price: { securePerVcpu: price, serverlessPerVcpu: price },
    dataCenters: centersOf(centers),
  };
}

const stockOf = (gpus: readonly GpuType[], cpus: readonly CpuType[] = []): HardwareStock => ({ gpus, cpus });
const needs = (changes: Partial<HardwareNeeds> = {}): HardwareNeeds => ({ ...NO_NEEDS, ...changes });
const reasonsOf = (type: GpuType, changes: Partial<HardwareNeeds>) =>
  hardwareOffers(stockOf([type]), needs(changes))[0]?.reasons;
const ids = (offers: readonly HardwareOffer[]) => offers.map(({ id }) => id);

describe('Hardware for an endpoint', () => {
  it('is each pool of GPUs, and each flavor with each number of vCPUs', () => {
    const offers = hardwareOffers(
      stockOf([gpu('A', 24, 1), { ...gpu('A', 48, 2), id: 'other' }], [cpu('c', 0.1)]),
      needs(),
    );
    assert.deepEqual(offers.map(hardwareKey), ['gpu A 1', 'cpu c 2', 'cpu c 4', 'cpu c 8']);
    assert.deepEqual([offers[0]?.memoryGb, offers[0]?.usdPerHour], [{ least: 24, most: 48 }, 2]);
    assert.deepEqual([offers[2]?.memoryGb, offers[2]?.usdPerHour], [{ least: 8, most: 8 }, 0.4]);
  });

  it('leaves out GPU types outside all pools', () => {
    assert.deepEqual(hardwareOffers(stockOf([{ ...gpu('A', 24, 1), pool: null }]), needs()), []);
  });

  it('satisfies an endpoint without conditions', () => {
    assert.deepEqual(reasonsOf(gpu('A', 24, 1), {}), []);
  });

  it('names each condition that it does not satisfy', () => {
    const type = gpu('A', 24, 1, { 'US-1': 'LOW' });
    assert.deepEqual(reasonsOf(type, { memoryGb: 25 }), ['memory']);
    assert.deepEqual(reasonsOf(type, { memoryGb: 48, gpuCount: 2 }), []);
    assert.deepEqual(reasonsOf(type, { gpuCount: 5 }), ['gpuCount']);
    assert.deepEqual(reasonsOf(type, { excludedTypes: ['NVIDIA A'] }), ['excluded']);
    assert.deepEqual(reasonsOf(type, { dataCenters: ['EU-1'] }), ['dataCenter']);
    assert.deepEqual(reasonsOf(gpu('A', 24, 1, { 'EU-1': 'NONE' }), { dataCenters: ['EU-1'] }), ['noStock']);
    assert.deepEqual(reasonsOf(type, { minWorkers: 1, monthlyBudget: 719 }), ['budget']);
    assert.deepEqual(reasonsOf(type, { minWorkers: 1, monthlyBudget: 720 }), []);
    assert.deepEqual(reasonsOf(type, { memoryGb: 80, dataCenters: ['EU-1'] }), ['memory', 'dataCenter']);
    const [flavor] = hardwareOffers(stockOf([], [cpu('c', 1)]), needs({ needsGpu: true }));
    assert.deepEqual(flavor?.reasons, ['gpuNeeded']);
  });

  it('tells a missing CUDA version from missing stock', () => {
    const none = gpu('A', 24, 1, { 'EU-1': 'NONE' });
    const stock = (anyCuda: GpuType): HardwareStock => ({ gpus: [none], gpusOfAnyCuda: [anyCuda], cpus: [] });
    const wanted = needs({ minCudaVersion: '12.8' });
    assert.deepEqual(hardwareOffers(stock(gpu('A', 24, 1)), wanted)[0]?.reasons, ['cuda']);
    assert.deepEqual(hardwareOffers(stock(none), wanted)[0]?.reasons, ['noStock']);
  });

  it('takes unknown stock as possible', () => {
    const { dataCenters: _, ...type } = gpu('A', 24, 1);
    const [offer] = hardwareOffers(stockOf([type]), needs({ dataCenters: ['EU-1'] }));
    assert.deepEqual([offer?.stock, offer?.reasons], [undefined, []]);
  });

  it('has the stock of the data centers that the endpoint can use, those with most stock first', () => {
    const type = gpu('A', 24, 1, { 'EU-1': 'LOW', 'EU-2': 'HIGH', 'US-1': 'MEDIUM', 'US-2': 'NONE' });
    const [offer] = hardwareOffers(stockOf([type]), needs({ dataCenters: ['EU-1', 'EU-2', 'US-2'] }));
    assert.deepEqual([offer?.stock, offer?.dataCenters, offer?.elsewhere], ['HIGH', ['EU-2', 'EU-1'], ['US-1']]);
  });

  it('shows an unknown price as unknown and sorts it last, and never as 0', () => {
    const offers = hardwareOffers(stockOf([gpu('A', 24, undefined), gpu('B', 24, 0), gpu('C', 24, 3)]), needs());
    assert.deepEqual(ids(sortedOffers(offers)), ['C', 'A', 'B']);
    assert.deepEqual(sortedOffers(offers).map(priceWords), ['$3.00/h', 'price unknown', 'price unknown']);
  });

  it('has the price of a pool whose types have different prices, and none if one of them is unknown', () => {
    const other = (price: number | undefined): GpuType => ({ ...gpu('A', 24, price), id: 'other' });
    const price = (type: GpuType) =>
      hardwareOffers(stockOf([gpu('A', 24, 1), type]), needs({ gpuCount: 2 }))[0]?.usdPerHour;
    assert.deepEqual([price(other(2)), price(other(undefined))], [4, undefined]);
  });

  it('sorts by the cost of a job if run times are known, which a faster and more expensive GPU can win', () => {
    const times = { seconds: 60, jobsPerDay: 0, byHardware: new Map([['gpu B 1', 10]]) };
    const offers = sortedOffers(hardwareOffers(stockOf([gpu('A', 24, 1), gpu('B', 24, 3)]), needs(), times));
    assert.deepEqual(ids(offers), ['B', 'A']);
    assert.deepEqual(
      offers.map(({ secondsPerJob, isMeasured }) => [secondsPerJob, isMeasured]),
      [
        [10, true],
        [60, false],
      ],
    );
  });

  it('compares the budget with the time of the jobs', () => {
    const times = { seconds: 3_600, jobsPerDay: 2, byHardware: new Map<string, number>() };
    const [offer] = hardwareOffers(stockOf([gpu('A', 24, 1)]), needs({ monthlyBudget: 59 }), times);
    assert.deepEqual([offer?.usdPerMonth, offer?.reasons], [60, ['budget']]);
  });

  it('counts the hardware that each condition excludes, and names the condition that excludes the most', () => {
    const types = [gpu('A', 16, 1), gpu('B', 24, 1), gpu('C', 80, 1, { 'US-1': 'HIGH' })];
    const wanted = needs({ memoryGb: 48, dataCenters: ['EU-1'] });
    const offers = hardwareOffers(stockOf(types), wanted);
    assert.deepEqual(countReasons(offers), [
      ['memory', 2],
      ['dataCenter', 1],
    ]);
    assert.equal(excludedWords(offers), 'memory: 2, data centers: 1');
    assert.match(nothingFitsWords(offers), /“memory” \(2 of 3\)/);
    const [, , last] = offers;
    assert.ok(last);
    assert.equal(reasonWords('dataCenter', last, wanted), 'no stock in EU-1, but in US-1');
  });

  it('says that a platform offers nothing', () => {
    assert.equal(nothingFitsWords([]), 'The platform offers no hardware.');
  });

  const aType = fc.record({
    pool: fc.constantFrom('A', 'B', 'C', 'D'),
    memory: fc.constantFrom(16, 24, 48, 80),
    price: fc.option(fc.double({ min: 0.1, max: 5, noNaN: true }), { nil: undefined }),
    centers: fc.dictionary(fc.constantFrom('EU-1', 'EU-2', 'US-1'), fc.constantFrom(...AVAILABILITY_LEVELS, 'NEW')),
  });
  const aCatalog = fc.array(
    aType.map(({ pool, memory, price, centers }) => gpu(pool, memory, price, centers)),
    { maxLength: 8 },
  );
  const someNeeds = fc.record({
    gpuCount: fc.constantFrom(1, 2, 5),
    memoryGb: fc.option(fc.constantFrom(24, 80), { nil: undefined }),
    dataCenters: fc.option(fc.subarray(['EU-1', 'EU-2', 'US-1'], { minLength: 1 }), { nil: undefined }),
  });

  it('never satisfies an endpoint without stock where it can run, and keeps all offers in each order', () => {
    fc.assert(
      fc.property(aCatalog, someNeeds, fc.constantFrom(...SORTS), (gpus, wanted, sort) => {
        const offers = hardwareOffers(stockOf(gpus), needs(wanted));
        const sorted = sortedOffers(offers, sort);
        assert.deepEqual(new Set(sorted), new Set(offers));
        for (const { reasons, stock, dataCenters, elsewhere, memoryGb, count } of sorted) {
          const { dataCenters: usable } = wanted;
          assert.ok(!usable || dataCenters.every((id) => usable.includes(id)));
          assert.ok(!usable || elsewhere.every((id) => !usable.includes(id)));
          if (reasons.length > 0) continue;
          assert.notEqual(stock, 'NONE');
          assert.ok(dataCenters.length > 0);
          assert.ok(wanted.memoryGb === undefined || memoryGb.least * count >= wanted.memoryGb);
        }
        const prices = sortedOffers(offers).map(({ usdPerHour }) => usdPerHour ?? Infinity);
        assert.deepEqual(
          prices,
          prices.toSorted((one, other) => one - other),
        );
      }),
    );
  });

  it('satisfies no endpoint with more conditions that it does not satisfy with fewer', () => {
    fc.assert(
      fc.property(aCatalog, someNeeds, (gpus, wanted) => {
        const few = hardwareOffers(stockOf(gpus), needs({ gpuCount: wanted.gpuCount }));
        const many = hardwareOffers(stockOf(gpus), needs(wanted));
        many.forEach(({ reasons }, index) => {
          if (reasons.length === 0) assert.deepEqual(few[index]?.reasons, []);
        });
      }),
    );
  });
});

describe('Conditions of an endpoint', () => {
  const volumes = [
    { id: 'v1', dataCenter: 'EU-1' },
    { id: 'v2', dataCenter: 'US-1' },
  ];
  const centers = (settings: Parameters<typeof needsOf>[0]) => needsOf(settings, volumes).dataCenters;

  it('keep workers where their volumes are, and otherwise in the preferred data centers', () => {
    assert.equal(centers({}), undefined);
    assert.deepEqual(centers({ dataCenterIds: ['EU-2'] }), ['EU-2']);
    assert.deepEqual(centers({ mounts: { network: [{ volumeId: 'v1' }] } }), ['EU-1']);
    assert.deepEqual(centers({ networkVolumes: ['v1', 'v2'], dataCenterIds: ['US-1'] }), ['US-1']);
    assert.deepEqual(centers({ networkVolumes: ['v1'], dataCenterIds: ['US-1'] }), ['EU-1']);
    assert.equal(centers({ networkVolumes: ['unknown'] }), undefined);
  });

  it('take an empty CUDA constraint of an endpoint as none', () => {
    const { minCudaVersion, allowedCudaVersions } = needsOf(
      { gpu: { pools: ['A'], minCudaVersion: null, allowedCudaVersions: [] } },
      [],
    );
    assert.deepEqual([minCudaVersion, allowedCudaVersions], [undefined, undefined]);
  });
});

describe('Alternatives of an endpoint that waits for hardware', () => {
  const stock = stockOf(
    [
      gpu('OLD', 24, 0.57, { 'EU-1': 'NONE' }),
      gpu('L4', 24, 0.69),
      gpu('BIG', 80, 0.5),
      gpu('FAR', 24, 1, { 'US-1': 'HIGH' }),
    ],
    [cpu('c', 0.1)],
  );
  const chosen = { gpus: ['OLD'], cpus: [] };
  const offers = hardwareOffers(stock, needs({ chosen, dataCenters: ['EU-1'] }));

  it('are of the same kind, satisfy it, and have stock, cheapest first', () => {
    assert.deepEqual(ids(alternatives(offers, { chosen })), ['BIG', 'L4']);
  });

  it('have a sentence with the data center, the price, and the difference', () => {
    assert.equal(
      alternativesText({ offers: alternatives(offers, { chosen }), usdPerHour: 0.57 }),
      'BIG (big) has stock in EU-1 at $0.50/h (−$0.07/h). L4 (l4) has stock in EU-1 at $0.69/h (+$0.12/h).',
    );
    assert.equal(alternativesText({ offers: [], usdPerHour: 1 }), '');
  });

  it('of CPU workers have the same number of vCPUs', () => {
    const own = { gpus: [], cpus: [{ id: 'x', vcpuCount: 4 }] };
    const found = alternatives(hardwareOffers(stock, needs({ chosen: own })), { chosen: own });
    assert.deepEqual(found.map(hardwareKey), ['cpu c 4']);
  });
});
