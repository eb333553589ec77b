import assert from 'node:assert/strict';
import { keyRemover } from '../../../src/account/withoutKeys.ts';
import { gateHtml, gateJunit } from '../../../src/cli/gate/gateCommand.ts';
import { failuresOf, quantile, type GateReport, type SideReport } from '../../../src/features/gate/model/gateReport.ts';
import { gateDocument, jobLines, verdictWords } from '../../../src/features/gate/model/gateWords.ts';

const side = (medianMs: number | undefined, label = 'side'): SideReport => ({
  ...{ label, medianMs, p95Ms: medianMs, coldStartMs: undefined, memoryBytes: 5_000_000, usd: 0.002 },
});

const report: GateReport = {
  ...{ version: 1, endpoint: 'hello | <b>', startedAt: '2026-01-01T00:00:00.000Z' },
  ...{ before: side(100, 'abc123'), after: side(250, 'working tree'), slowerPercent: 150 },
  jobs: [
    { name: 'j1', outcome: 'same', before: 'COMPLETED', after: 'COMPLETED', differences: [], mismatches: [] },
    {
      ...{ name: 'j2', outcome: 'differs', before: 'COMPLETED', after: 'FAILED', mismatches: [] },
      reason: 'Error: password correct-horse\n    at handler',
      differences: [
        {
          kind: 'text',
          path: ['a', 0],
          before: 'old correct-horse',
          after: `new ${'x'.repeat(300)}correct-horse`,
          fraction: 0.5,
        },
      ],
    },
  ],
  passed: false,
  failures: [
    { code: 'outputs', jobs: 1 },
    { code: 'slower', percent: 150, accepted: 20 },
  ],
};
const hide = keyRemover(['correct-horse']);

describe('The verdict of a gate', () => {
  const verdict = (before: number | undefined, after: number | undefined, maxSlower?: number) =>
    failuresOf({ jobs: [], before: side(before), after: side(after) }, { maxSlower }).map(({ code }) => code);

  it('names a longer median execution time only if it is over the bound', () => {
    assert.deepEqual(verdict(100, 121, 20), ['slower']);
    assert.deepEqual(verdict(100, 120, 20), []);
    assert.deepEqual(verdict(100, 1_000), []);
    assert.deepEqual(verdict(100, 50, 0), []);
    assert.deepEqual(verdict(undefined, 50, 0), []);
  });

  it('accepts an increase of a few milliseconds, also from 0 ms', () => {
    assert.deepEqual(verdict(2, 12, 20), []);
    assert.deepEqual(verdict(0, 11, 20), ['slower']);
  });

  it('uses quantiles by the nearest rank', () => {
    assert.equal(quantile([], 0.5), undefined);
    assert.equal(quantile([3, 1, 2], 0.5), 2);
    assert.equal(quantile([4, 1, 2, 3], 0.95), 4);
  });
});

describe('The report of a gate', () => {
  it('tells why the gate failed', () => {
    assert.equal(
      verdictWords(report),
      'The gate failed: 1 job has another result; The median execution time is 150 % longer, and 20 % is accepted',
    );
  });

  it('contains no secret in any format, also not a part of one', () => {
    const texts = [gateDocument(report, hide).source, gateHtml(report, hide), gateJunit(report, hide)];
    for (const text of texts) assert.doesNotMatch(text, /correct|horse/);
    const lines = report.jobs.flatMap((job) => jobLines(job, hide));
    assert.doesNotMatch(lines.join('\n'), /correct|horse/);
  });

  it('shows foreign text as text', () => {
    assert.ok(gateHtml(report, hide).includes('hello | &lt;b&gt;'));
    assert.doesNotMatch(gateDocument(report, hide).source, /[^\\]<b>/);
  });
});
