import assert from 'node:assert/strict';
import { readTrace } from '../../../../src/features/load/model/trace.ts';
import { report } from '../loadReport.ts';

function offsetsOf(text: string): readonly number[] {
  const read = readTrace(text);
  assert.ok('profile' in read && read.profile.kind === 'trace', JSON.stringify(read));
  return read.profile.offsets;
}

describe('a trace of arrivals', () => {
  it('is a list of times, of JSON objects, or a CSV file', () => {
    for (const text of [
      '100\n350\r\n\n200\n',
      '{"at":100}\n{"at":350}\n{"at":200,"more":{}}',
      'time,name\n100,a\n200,"b"\n350,c\n',
      'name,"submittedAt"\na,100\nb,200\nc,350',
      '"2026-01-01T00:00:00.100Z"\n2026-01-01T00:00:00.200Z\n2026-01-01T00:00:00.350Z',
      '{"timestamp":"2026-01-01T00:00:00.100Z"}\n{"time":"2026-01-01T00:00:00.350Z"}\n{"at":1767225600200}',
    ])
      assert.deepEqual(offsetsOf(text), [0, 100, 250], text);
  });

  it('is the report of an earlier load test, whose arrivals are repeated', () => {
    const earlier = report();
    assert.deepEqual(readTrace(JSON.stringify(earlier)), { profile: earlier.profile });
  });

  it('names the line without a time', () => {
    const read = readTrace('1\n2\nthree\n');
    assert.ok('problem' in read);
    assert.match(read.problem, /^line 3 /);
    assert.ok('problem' in readTrace(''));
    assert.ok('problem' in readTrace('{"other":1}'));
  });
});
