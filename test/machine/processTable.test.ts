import assert from 'node:assert/strict';
import { processStart } from '../../src/machine/processTable.ts';

describe('When a process started', () => {
  const { TZ } = process.env;
  const platform = Object.getOwnPropertyDescriptor(process, 'platform');

  before(function () {
    if (process.platform === 'win32') this.skip();
  });

  afterEach(() => {
    if (TZ === undefined) delete process.env['TZ'];
    else process.env['TZ'] = TZ;
    if (platform) Object.defineProperty(process, 'platform', platform);
  });

  it('is the same in every time zone, where it is asked of ps', async () => {
    Object.defineProperty(process, 'platform', { ...platform, value: 'darwin' });
    const said: (string | undefined)[] = [];
    for (const zone of ['UTC', 'Asia/Tokyo', 'America/New_York']) {
      process.env['TZ'] = zone;
      said.push(await processStart(process.pid));
    }
    assert.match(said[0] ?? '', /\d\d:\d\d:\d\d/);
    assert.equal(new Set(said).size, 1);
  });

  it('is unknown of a process that is not there', async () => {
    assert.equal(await processStart(2147483646), undefined);
  });
});
