import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isLogEvent, LogEvent } from '../../src/contract/workerLogs.ts';

it('the check of a log event accepts the same values as its schema', () => {
  const event = fc.record({ source: fc.string(), line: fc.string(), ts: fc.string(), other: fc.jsonValue() });
  const similar = fc.record({ source: fc.jsonValue(), line: fc.jsonValue(), ts: fc.jsonValue() }, { requiredKeys: [] });
  fc.assert(
    fc.property(fc.oneof(event, similar, fc.jsonValue()), (value) => {
      assert.equal(isLogEvent(value), LogEvent.safeParse(value).success);
    }),
  );
});
