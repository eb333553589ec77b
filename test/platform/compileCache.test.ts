import assert from 'node:assert/strict';
import path from 'node:path';
import { compileCacheDirectory } from '../../src/platform/daemon/compileCache.ts';

describe('Directory of the compile cache', () => {
  it("is in the user's cache folder, and never in a shared one", () => {
    const linux = { HOME: '/home/ada', TMPDIR: '/tmp' };
    assert.equal(compileCacheDirectory('linux', linux), path.resolve('/home/ada/.cache/cloud-compute/compiled'));
    assert.equal(
      compileCacheDirectory('linux', { ...linux, XDG_CACHE_HOME: '/var/ada' }),
      path.resolve('/var/ada/cloud-compute/compiled'),
    );
    assert.equal(
      compileCacheDirectory('darwin', { HOME: '/Users/ada' }),
      path.resolve('/Users/ada/Library/Caches/cloud-compute/compiled'),
    );
  });

  it('is undefined if the environment variable is missing or relative', () => {
    for (const platform of ['linux', 'darwin', 'win32'] as const) {
      assert.equal(compileCacheDirectory(platform, {}), undefined);
    }
    assert.equal(compileCacheDirectory('linux', { XDG_CACHE_HOME: 'here' }), undefined);
    assert.equal(compileCacheDirectory('win32', { LOCALAPPDATA: '' }), undefined);
  });
});
