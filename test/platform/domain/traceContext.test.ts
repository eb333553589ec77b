import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  attemptContext,
  jobContext,
  newSpanId,
  newTraceId,
  readTraceParent,
  traceParent,
} from '../../../src/platform/domain/traceContext.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const VALID = `00-${TRACE}-${SPAN}-01`;

const hex = (length: number) =>
  fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`)).filter((text) => /[^0]/.test(text));

describe('A traceparent header', () => {
  const valid: [reason: string, header: string, flags: number][] = [
    ['of version 00', VALID, 1],
    ['that is not sampled', `00-${TRACE}-${SPAN}-00`, 0],
    ['with flags that version 00 does not define', `00-${TRACE}-${SPAN}-ff`, 255],
    ['of a later version', `01-${TRACE}-${SPAN}-01`, 1],
    ['of a later version with further fields', `cc-${TRACE}-${SPAN}-01-what-the-future-will-be-like`, 1],
  ];
  for (const [reason, header, traceFlags] of valid) {
    it(`${reason} is continued`, () => {
      assert.deepEqual(readTraceParent(header), { traceId: TRACE, spanId: SPAN, traceFlags });
    });
  }

  const invalid: [reason: string, header: string | undefined][] = [
    ['that is absent', undefined],
    ['that is empty', ''],
    ['of version ff', `ff-${TRACE}-${SPAN}-01`],
    ['with a trace ID of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['with a span ID of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['with uppercase letters', VALID.toUpperCase()],
    ['with an uppercase version', `CC-${TRACE}-${SPAN}-01`],
    ['of version 00 with further fields', `${VALID}-what`],
    ['of version 00 with a hyphen at its end', `${VALID}-`],
    ['of a later version with a text after the flags', `01-${TRACE}-${SPAN}-01.what`],
    ['with a short trace ID', `00-${TRACE.slice(1)}-${SPAN}-01`],
    ['with a short span ID', `00-${TRACE}-${SPAN.slice(1)}-01`],
    ['with a short version', `0-${TRACE}-${SPAN}-01`],
    ['with short flags', `00-${TRACE}-${SPAN}-1`],
    ['with other characters', `00-${TRACE.replace('0', '.')}-${SPAN}-01`],
    ['that was sent twice', `${VALID}, ${VALID}`],
  ];
  for (const [reason, header] of invalid) {
    it(`${reason} is ignored`, () => assert.equal(readTraceParent(header), undefined));
  }

  it('is read as it was written, for all IDs', () => {
    fc.assert(
      fc.property(hex(32), hex(16), fc.integer({ min: 0, max: 3 }), (traceId, spanId, traceFlags) => {
        const context = { traceId, spanId, traceFlags };
        assert.deepEqual(readTraceParent(traceParent(context)), context);
      }),
    );
  });

  it('never throws, and is valid only in the form of the specification', () => {
    const part = fc.oneof(fc.constantFrom('00', '01', 'ff', '', '-', '0'.repeat(32), TRACE, SPAN, '\n'), fc.string());
    fc.assert(
      fc.property(fc.array(part, { maxLength: 7 }), (parts) => {
        const header = parts.join('-');
        if (readTraceParent(header))
          assert.match(header.trim(), /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}(-.*)?$/);
      }),
    );
  });

  it('has valid new IDs', () => {
    assert.ok(readTraceParent(traceParent({ traceId: newTraceId(), spanId: newSpanId(), traceFlags: 1 })));
  });
});

describe('The trace of a job', () => {
  it('is that of its caller', () => {
    const { traceId, parentSpanId, traceFlags } = jobContext('job-1', VALID);
    assert.deepEqual({ traceId, parentSpanId, traceFlags }, { traceId: TRACE, parentSpanId: SPAN, traceFlags: 1 });
  });

  it('has IDs that derive from the ID of the job, so that a restart does not change them', () => {
    assert.deepEqual(jobContext('job-1', undefined), jobContext('job-1', undefined));
    assert.notEqual(jobContext('job-1', undefined).traceId, jobContext('job-2', undefined).traceId);
    assert.ok(readTraceParent(traceParent(jobContext('job-1', undefined))));
  });

  it('has another span for each attempt', () => {
    const [first, second] = [attemptContext('job-1', VALID, 1), attemptContext('job-1', VALID, 2)];
    assert.equal(first.traceId, second.traceId);
    assert.notEqual(first.spanId, second.spanId);
  });
});
