import assert from 'node:assert/strict';
import { readObstacle, type Machine } from '../../../src/account/diagnosis/obstacle.ts';
import { jumpingClock } from '../../client/fakeClock.ts';
import { cleanUp, helloWorker, platformForTest } from '../../platform/support.ts';

describe('readObstacle', () => {
  let machine: Machine;

  before(async () => {
    const { platform } = await platformForTest();
    const state = { kind: 'running', announcement: platform.announcement } as Machine['localPlatform']['state'];
    // The time limit does not pass, so that the test does not depend on the speed of the machine.
    const { clock } = jumpingClock(0);
    machine = { connections: { profile: { kind: 'local' } }, localPlatform: { state }, clock };
  });
  after(cleanUp);

  const problemOf = async (image: string, on = machine) => (await readObstacle(on, { image }))?.problem;

  it('finds that the platform has no engine for an image', async () => {
    assert.equal(await problemOf('example/hello:1'), 'engineMissing');
  });

  it('finds that the directory of a process is missing', async () => {
    assert.equal(await problemOf(`process:${helloWorker}/gone`), 'directoryMissing');
    assert.equal(await problemOf(`process:${helloWorker}`), undefined);
  });

  it('knows nothing of another machine', async () => {
    assert.equal(
      await problemOf('example/hello:1', { ...machine, connections: { profile: { kind: 'hosted' } } }),
      undefined,
    );
    const stopped = { kind: 'stopped' } as Machine['localPlatform']['state'];
    assert.equal(await problemOf('example/hello:1', { ...machine, localPlatform: { state: stopped } }), undefined);
  });
});
