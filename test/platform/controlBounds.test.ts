import assert from 'node:assert/strict';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { cleanUp, manualClock, platformForTest, type Api } from './support.ts';

const now = Date.parse('2026-03-18T14:58:30Z');
const YEAR_MS = 366 * 86_400_000;

describe('Bounds of the control API', () => {
  let api: Api;

  beforeEach(async () => {
    ({ api } = await platformForTest({ clock: manualClock(now) }));
  });
  afterEach(cleanUp);

  const { setClock, createApiKey, createUser } = controlOperations;
  const seedErrors = async (body: object): Promise<string[] | undefined> =>
    (await api.refused(422, controlOperations.seed, { body })).errors;

  it('limit a change of the clock to ten years', async () => {
    const far = await api.refused(422, setClock, { body: { now: '2036-06-01T00:00:00Z' } });
    assert.deepEqual(far.errors, [
      '$.now: must be at most 2036-03-25T14:58:30.000Z: one change can cover at most ten years',
    ]);
    const { errors } = await api.refused(422, setClock, { body: { advanceMs: 10 * YEAR_MS + 1 } });
    assert.deepEqual(errors, ['$.advanceMs: must be at most 316224000000']);
    await api.refused(422, setClock, { body: { now: '9999-12-31T23:59:59Z' } });
  });

  it('accept every form of RFC 3339 for the clock and the expiry of a key', async () => {
    const { now: moved } = await api.call(setClock, { body: { now: '2026-12-31t23:59:60z' } });
    assert.ok(Date.parse(moved) >= Date.parse('2027-01-01T00:00:00Z'));
    const body = { name: 'k', expiresAt: '2028-02-29t12:00:00.123456789+05:45' };
    const { expiresAt } = await api.call(createApiKey, { body });
    assert.equal(expiresAt, '2028-02-29T06:15:00.123Z');
  });

  it('refuse seeded times outside the years 1 to 9999', async () => {
    const usage = { kind: 'endpoint', resource: 'r', usd: 1 };
    const outside = 'must be in the years 1 to 9999';
    assert.deepEqual(await seedErrors({ usage: [{ ...usage, at: '-999999d' }] }), [`$.usage[0].at: ${outside}`]);
    assert.deepEqual(await seedErrors({ jobs: [{ endpoint: 'e', at: '0000-12-31T00:00:00Z' }] }), [
      `$.jobs[0].at: ${outside}`,
    ]);
  });

  it('refuse seeded usage that covers too many hours', async () => {
    const usage = { kind: 'endpoint', resource: 'r', usd: 1 };
    const eleven = { ...usage, at: '2010-01-01T00:00:00Z', until: '2021-01-01T00:00:00Z' };
    assert.deepEqual(await seedErrors({ usage: [usage, eleven].map((one) => ({ at: '-1h', ...one })) }), [
      "$.usage[1].until: must be at most ten years after 'at'",
    ]);
    const nine = { ...usage, at: '2010-01-01T00:00:00Z', until: '2019-01-01T00:00:00Z' };
    assert.deepEqual(await seedErrors({ usage: Array(10_000).fill(nine) }), [
      '$.usage[2].until: the usage entries up to this one cover more than 200000 hours',
    ]);
  });

  it('refuse quotas that do not fit a RateLimit header', async () => {
    const quotas = { minute: 2 ** 53 - 1, hour: 1_000_000_000, day: 999_999_999 };
    const { errors } = await api.refused(422, createUser, { body: { name: 'u', quotas } });
    const most = 'must be at most 999999999';
    assert.deepEqual(errors, [`$.quotas.minute: ${most}`, `$.quotas.hour: ${most}`]);
    await api.call(createUser, {
      body: { name: 'u', quotas: { minute: 999_999_999, hour: 999_999_999, day: 999_999_999 } },
    });
  });
});
