import assert from 'node:assert/strict';
import path from 'node:path';
import { readFlags } from '../../src/platform/daemon/flags.ts';

function refused(...args: string[]): string {
  try {
    readFlags(args);
  } catch (error) {
    return (error as Error).message;
  }
  return assert.fail('the flags were accepted');
}

describe('Flags of engines', () => {
  it('select the engine, and by default the one that its own programs use', () => {
    const none = {
      containerEngine: undefined,
      workerHost: undefined,
      kubeContext: undefined,
      kubeNamespace: undefined,
      kubeNodeImages: false,
    };
    assert.deepEqual(readFlags([]).engine, { ...none, runtime: 'auto' });
    const docker = readFlags(['--container-engine', 'ssh://me@host', '--worker-host', '10.0.0.1']).engine;
    assert.deepEqual(docker, { ...none, runtime: 'auto', containerEngine: 'ssh://me@host', workerHost: '10.0.0.1' });
    const cluster = ['--runtime', 'kubernetes', '--kube-context', 'team', '--kube-namespace', 'jobs'];
    assert.deepEqual(readFlags(cluster).engine, {
      ...none,
      ...{ runtime: 'kubernetes', kubeContext: 'team', kubeNamespace: 'jobs' },
    });
    const workers = readFlags(['--worker-port', '8788', '--worker-capabilities', 'SYS_PTRACE,CAP_NET_RAW']).engine;
    assert.deepEqual([workers.workerPort, workers.workerCapabilities], [8788, ['SYS_PTRACE', 'NET_RAW']]);
    for (const list of ['', 'ALL', 'net_raw', 'NET_RAW,']) {
      assert.match(refused('--worker-capabilities', list), /^--worker-capabilities must be a list such as/);
    }
    assert.match(refused('--worker-port', '99999'), /^--worker-port must be a number/);
    assert.deepEqual(readFlags(['--forward-ports', '5432,8080']).engine.forwardedPorts, [5432, 8080]);
    for (const list of ['', '5432,', '0', 'x'])
      assert.match(refused('--forward-ports', list), /^--forward-ports must be a number/);
    assert.match(refused('--runtime', 'docker'), /^--runtime must be auto, process, kubernetes, not 'docker'/);
    assert.match(refused('--kube-context='), /^--kube-context needs a value/);
    for (const host of ['0.0.0.0', 'name', '::']) assert.match(refused('--worker-host', host), /must be an IP address/);
  });

  it('name the claim with the volumes, and the directory where it is mounted', () => {
    const claimOf = (...args: string[]) => readFlags(args).engine.kubeVolumeClaim;
    assert.equal(claimOf(), undefined);
    assert.deepEqual(claimOf('--kube-volume-claim', 'data', '--data-dir', '/d'), { name: 'data', directory: '/d' });
    assert.deepEqual(claimOf('--kube-volume-claim=data=/v', '--in-memory'), { name: 'data', directory: '/v' });
    assert.match(refused('--kube-volume-claim', 'data', '--in-memory'), /needs NAME=DIRECTORY/);
    for (const text of ['', '=/d', 'Data', 'a b'])
      assert.match(refused(`--kube-volume-claim=${text}`), /must be a name/);
    assert.equal(readFlags(['--kube-node-images']).engine.kubeNodeImages, true);
  });

  it('name the address of a Service for pods', () => {
    const urlOf = (url: string) => readFlags(['--kube-worker-url', url]).engine.kubeWorkerUrl?.href;
    assert.equal(urlOf('http://platform:8788'), 'http://platform:8788/');
    for (const url of ['', 'platform:8788', 'http://platform/path', 'http://user@platform'])
      assert.match(refused('--kube-worker-url', url), /^--kube-worker-url must be an address/);
  });

  it('name a further address for the metrics', () => {
    const addressOf = (text: string) => readFlags(['--metrics-address', text]).metricsAddress;
    assert.equal(readFlags([]).metricsAddress, undefined);
    assert.deepEqual(addressOf('127.0.0.1:9464'), { host: '127.0.0.1', port: 9464 });
    assert.deepEqual(addressOf('[::1]:0'), { host: '::1', port: 0 });
    for (const text of ['', '9464', 'localhost:1', '::1:1', '[127.0.0.1]:1', '127.0.0.1:99999'])
      assert.match(refused('--metrics-address', text), /^--metrics-address must be/);
  });

  it('select GPUs', () => {
    assert.equal(readFlags([]).gpus, 'auto');
    assert.equal(readFlags(['--gpus', 'ignore']).gpus, 'ignore');
    assert.deepEqual(readFlags(['--gpus', '0,GPU-1f2e']).gpus, ['0', 'GPU-1f2e']);
    for (const text of ['', 'all', '0,0', '0,', '-1', 'GPU-'])
      assert.match(refused(`--gpus=${text}`), /^--gpus must be/);
  });

  it('limit the size of the logs in MiB', () => {
    assert.equal(readFlags([]).maxLogBytes, undefined);
    assert.equal(readFlags(['--max-log-size', '2048']).maxLogBytes, 2 ** 31);
    for (const text of ['', '0', '15', '1.5', '1g', '-16', '10000000'])
      assert.match(refused(`--max-log-size=${text}`), /^--max-log-size must be a number of MiB from 16 to 9999999/);
  });

  it('give the address of a proxy', () => {
    assert.equal(readFlags([]).publicUrl, undefined);
    assert.equal(readFlags(['--public-url', 'https://cc.example.com/']).publicUrl?.origin, 'https://cc.example.com');
    for (const text of [
      'cc.example.com',
      'ftp://a',
      'https://a/path',
      'https://me:secret@a',
      'https://a?b',
      'https://a#b',
    ])
      assert.match(refused('--public-url', text), /^--public-url must be an address/, text);
  });

  it('let workers run on only if the next platform finds them', () => {
    assert.deepEqual([readFlags([]).keepWorkers, readFlags(['--keep-workers']).keepWorkers], [false, true]);
    assert.match(refused('--keep-workers', '--in-memory'), /needs stored data: omit --in-memory/);
  });

  it('name a directory of volumes only without a data directory', () => {
    const { volumesDir } = readFlags(['--in-memory', '--volumes-dir', 'volumes']);
    assert.deepEqual([volumesDir, readFlags([]).volumesDir], [path.resolve('volumes'), undefined]);
    assert.match(refused('--volumes-dir', 'volumes'), /is for --in-memory/);
    assert.match(refused('--in-memory', '--volumes-dir', ''), /needs a directory/);
  });

  it('create a key only where it is kept, and only if no other key is given', () => {
    assert.equal(readFlags(['--create-api-key']).createApiKey, true);
    assert.match(refused('--create-api-key', '--in-memory'), /omit --in-memory/);
    assert.match(refused('--create-api-key', '--api-key', 'k'), /excludes other flags for the key/);
  });
});
