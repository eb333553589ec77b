import assert from 'node:assert/strict';
import * as z from 'zod';
import { AGENT_TOOLS } from '../../../../src/agents/actions/tools/index.ts';
import { momentOf } from '../../../../src/agents/actions/tools/fields.ts';
import { toolNamed } from '../../world.ts';

interface Bounds {
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly default?: unknown;
}

describe('Arguments of tools', () => {
  it('name a moment by a time span before now, or a date-time', () => {
    const now = Date.parse('2026-03-18T12:00:00Z');
    for (const [text, expected] of [
      ['30s', '2026-03-18T11:59:30Z'],
      ['15m', '2026-03-18T11:45:00Z'],
      ['2h', '2026-03-18T10:00:00Z'],
      ['1d', '2026-03-17T12:00:00Z'],
      ['2026-03-01T00:00:00Z', '2026-03-01T00:00:00Z'],
    ] as const)
      assert.equal(momentOf(text, now), Date.parse(expected), text);
    for (const text of ['1w', 'm', '1.5h', '1234567s', 'soon']) assert.ok(Number.isNaN(momentOf(text, now)), text);
  });

  it('have bounds and defaults', () => {
    const bounds = AGENT_TOOLS.flatMap(({ input }) => {
      const { properties = {} } = z.toJSONSchema(input, { io: 'input' }) as { properties?: Record<string, Bounds> };
      return Object.entries(properties).flatMap(([field, schema]) => {
        const {
          exclusiveMinimum: above,
          minLength,
          minimum = minLength ?? above,
          maxLength,
          maximum = maxLength,
        } = schema;
        const range = minimum === undefined && maximum === undefined ? '' : ` ${minimum ?? 0} to ${maximum}`;
        const standard = schema.default === undefined ? '' : `, or ${JSON.stringify(schema.default)}`;
        return range + standard === '' ? [] : [field + range + standard];
      });
    });
    assert.deepEqual([...new Set(bounds)].sort(), [
      ...['coldStartSeconds 0 to 604800, or 0', 'endpoint 1 to 500', 'environment 0 to 100', 'failedOnly, or false'],
      'file 1 to 4000',
      ...['format, or "png"', 'groupBy, or "kind"', 'image 1 to 4000', 'job 0 to 200', 'jobsPerDay 0 to 1000000000'],
      ...['lines 1 to 500, or 100', 'max 0 to 10000', 'memoryGb 0 to 100000', 'min 0 to 10000'],
      'negativePrompt 0 to 4000, or ""',
      ...[
        'part 0 to 999',
        'path 0 to 1024',
        'path 1 to 8000',
        'period, or "month"',
        'prompt 1 to 4000',
        'query 1 to 2000',
      ],
      ...['retry 0 to 200', 'safetyChecker, or true', 'saveAs 1 to 1000', 'secondsPerJob 0 to 604800'],
      ...['seed 0 to 9007199254740991', 'text 0 to 1000000', 'verifySeconds 0 to 600, or 300', 'volume 1 to 200'],
      ...['waitSeconds 0 to 600', 'waitSeconds 0 to 600, or 60', 'waitSeconds 1 to 600, or 120', 'worker 1 to 200'],
    ]);
  });

  it('of test data have at most 1,000 jobs and usages', () => {
    const { input } = toolNamed('change_local_platform');
    for (const [field, item] of [
      ['jobs', { endpoint: 'e' }],
      ['usage', { kind: 'serverlessGpu', resource: 'x', usd: 1, at: '-2h' }],
    ] as const)
      for (const [count, isValid] of [
        [1_000, true],
        [1_001, false],
      ] as const) {
        const items = Array.from({ length: count }, () => item);
        assert.equal(input.safeParse({ seed: { [field]: items } }).success, isValid, `${count} ${field}`);
      }
  });
});
