import assert from 'node:assert/strict';
import { parseLdd } from '../../../scripts/image/libraries.ts';

describe('parseLdd', () => {
  it('returns the files of libraries and the loader', () => {
    const output = `	linux-vdso.so.1 (0x00007fec0b258000)
	libdl.so.2 => /lib/x86_64-linux-gnu/libdl.so.2 (0x00007fec0b242000)
	libstdc++.so.6 => /lib/x86_64-linux-gnu/libstdc++.so.6 (0x00007fec0b000000)
	/lib64/ld-linux-x86-64.so.2 (0x00007fec0b25a000)
`;
    assert.deepEqual(parseLdd(output), [
      '/lib/x86_64-linux-gnu/libdl.so.2',
      '/lib/x86_64-linux-gnu/libstdc++.so.6',
      '/lib64/ld-linux-x86-64.so.2',
    ]);
  });

  it('returns nothing for a static program', () => {
    assert.deepEqual(parseLdd('	statically linked\n'), []);
  });

  it('fails for a missing library', () => {
    assert.throws(() => parseLdd('	libatomic.so.1 => not found\n'), /libatomic\.so\.1 is not on this machine/);
  });
});
