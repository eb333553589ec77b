import assert from 'node:assert/strict';
import { SavedFiles } from '../../../../../src/features/local/develop/actions/savedFiles.ts';
import { manualClock } from '../../../../platform/support.ts';

describe('SavedFiles', () => {
  const burst = (quietMs?: () => number) => {
    const clock = { ...manualClock(0), sleep: () => assert.fail('it waits with timers') };
    const reports: (readonly string[])[] = [];
    return { clock, reports, saved: new SavedFiles(clock, (files) => reports.push(files), quietMs) };
  };

  it('reports the files of a burst once, after a pause', () => {
    const { clock, reports, saved } = burst();
    saved.add('/a');
    clock.advance(150);
    saved.add('/b');
    saved.add('/a');
    clock.advance(199);
    assert.deepEqual(reports, []);
    clock.advance(1);
    assert.deepEqual(reports, [['/a', '/b']]);
  });

  it('reports a burst without a pause after its maximum length', () => {
    const { clock, reports, saved } = burst();
    for (let turn = 0; turn < 7; turn++) {
      saved.add(`/${turn}`);
      clock.advance(100);
    }
    assert.deepEqual(reports, [['/0', '/1', '/2', '/3', '/4', '/5']]);
  });

  it('waits less for a further save if a restart costs less', () => {
    let quietMs = 30;
    const { clock, reports, saved } = burst(() => quietMs);
    saved.add('/a');
    clock.advance(30);
    quietMs = 200;
    saved.add('/b');
    clock.advance(30);
    assert.deepEqual(reports, [['/a']]);
  });

  it('reports nothing after it is disposed', () => {
    const { clock, reports, saved } = burst();
    saved.add('/a');
    saved.dispose();
    clock.advance(1_000);
    assert.deepEqual(reports, []);
  });
});
