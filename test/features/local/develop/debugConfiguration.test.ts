import assert from 'node:assert/strict';
import {
  holdOf,
  languageConfiguration,
  openDebugger,
  type OpenDebugger,
  type WorkerConfiguration,
} from '../../../../src/features/local/develop/model/debugConfiguration.ts';

const configuration: WorkerConfiguration = {
  ...{ type: 'cloudCompute', request: 'attach', name: 'Debug hello' },
  ...{ endpoint: 'hello', worker: 'w1', condition: 'job.input.user == 42' },
};
const node: OpenDebugger = {
  ...{ language: 'node', host: '127.0.0.1', port: 9229, directory: '/app', debuggerId: undefined },
};
const python: OpenDebugger = { ...node, language: 'python' };

describe('the configuration of the debugger for a language', () => {
  it('runs Node.js in the directory of a worker on this machine, without a mapping of paths', () => {
    assert.deepEqual(languageConfiguration(configuration, node, '1'), {
      ...{ type: 'node', request: 'attach', name: 'Debug hello', address: '127.0.0.1', port: 9229 },
      ...{ cwd: '/app', skipFiles: ['<node_internals>/**'], attachExistingChildren: false },
      __cloudComputeHold: '1',
    });
  });

  it('has no mapping of paths for Python on this machine', () => {
    assert.deepEqual(languageConfiguration(configuration, python, '1'), {
      ...{ type: 'debugpy', request: 'attach', name: 'Debug hello', connect: { host: '127.0.0.1', port: 9229 } },
      ...{ justMyCode: true, __cloudComputeHold: '1' },
    });
  });

  it('maps the directory of a container to the local folder', () => {
    const mapped = { ...configuration, localRoot: '/home/ada/hello' };
    const { cwd, localRoot, remoteRoot } = languageConfiguration(mapped, node, '1');
    assert.deepEqual([cwd, localRoot, remoteRoot], ['/home/ada/hello', '/home/ada/hello', '/app']);
    const { pathMappings, ...others } = languageConfiguration(mapped, python, '1');
    assert.deepEqual(pathMappings, [{ localRoot: '/home/ada/hello', remoteRoot: '/app' }]);
    assert.ok(!('localRoot' in others) && !('remoteRoot' in others));
  });

  it('maps the remote folder of launch.json instead of the directory of the worker', () => {
    const mapped = { ...configuration, localRoot: '/home/ada/hello', remoteRoot: '/srv' };
    assert.equal(languageConfiguration(mapped, node, '1')['remoteRoot'], '/srv');
    assert.deepEqual(languageConfiguration(mapped, python, '1')['pathMappings'], [
      { localRoot: '/home/ada/hello', remoteRoot: '/srv' },
    ]);
  });

  it('passes other properties, which replace defaults, but neither the address nor the type', () => {
    const own = { ...configuration, skipFiles: ['**/lib/**'], sourceMaps: false, address: 'other', port: 1 };
    const { skipFiles, sourceMaps, address, port, type } = languageConfiguration(own, node, '1');
    assert.deepEqual([skipFiles, sourceMaps, address, port, type], [['**/lib/**'], false, '127.0.0.1', 9229, 'node']);
    const mappings = [{ localRoot: '/a', remoteRoot: '/b' }];
    const python1 = languageConfiguration(
      { ...configuration, justMyCode: false, localRoot: '/home/ada/hello', pathMappings: mappings },
      python,
      '1',
    );
    assert.deepEqual([python1['justMyCode'], python1['pathMappings']], [false, mappings]);
  });

  it('names the hold of its session, and no other session has one', () => {
    assert.equal(holdOf(languageConfiguration(configuration, node, '7')), '7');
    assert.equal(holdOf({ type: 'node', request: 'attach', name: 'other' }), undefined);
    assert.equal(holdOf({ __cloudComputeHold: 7 }), undefined);
  });
});

describe('the debugger that an event announces', () => {
  const ready = { event: 'ready', workerId: 'w1', host: '127.0.0.1', port: 9229, directory: '/app' } as const;

  it('has the address, the directory, and with a condition an ID', () => {
    assert.deepEqual(openDebugger({ ...ready, language: 'node' }), node);
    assert.equal(openDebugger({ ...ready, language: 'python', debuggerId: 'd1' })?.debuggerId, 'd1');
  });

  it('is missing in other events, in incomplete ones, and for an unknown language', () => {
    assert.equal(openDebugger({ ...ready, event: 'waiting', language: 'node' }), undefined);
    assert.equal(openDebugger({ ...ready, language: 'ruby' }), undefined);
    assert.equal(openDebugger({ event: 'ready', language: 'node', host: '127.0.0.1', port: 9229 }), undefined);
    assert.equal(openDebugger(ready), undefined);
  });
});
