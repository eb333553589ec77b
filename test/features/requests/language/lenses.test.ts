import assert from 'node:assert/strict';
import { connectLens, requestLenses } from '../../../../src/features/requests/language/lenses.ts';

const local = { client: {}, profile: { kind: 'local', name: 'Local Platform' } } as const;
const hosted = { client: {}, profile: { kind: 'hosted', name: 'Work' } } as const;

describe('lenses of HTTP files', () => {
  const titles = (connections: typeof local | typeof hosted) =>
    requestLenses(connections, 'file', 2, 'GET').map(({ title, command, arguments: args }) => [
      String(title),
      command,
      args,
    ]);

  it('send to the local platform', () =>
    assert.deepEqual(titles(local), [
      ['$(play) Send to Local Platform', 'cloudCompute.routes.send', ['file', 2]],
      ['Load Test…', 'cloudCompute.load.run', ['file', 2]],
      ['$(copy) Copy as…', 'cloudCompute.copyAs', ['file', 2]],
    ]));

  it('name a hosted platform with an icon of its own', () =>
    assert.deepEqual(titles(hosted)[0], ['$(cloud) Send to Work (hosted)', 'cloudCompute.routes.send', ['file', 2]]));

  it('of a WebSocket neither load-test nor copy it', () =>
    assert.deepEqual(
      requestLenses(local, 'file', 2, 'WEBSOCKET').map(({ command }) => command),
      ['cloudCompute.routes.send'],
    ));

  it('cannot be forged by the name of a connection', () => {
    const [send] = requestLenses(
      { client: {}, profile: { kind: 'hosted', name: '$(play) [x](command:y)' } },
      '',
      0,
      'GET',
    );
    assert.doesNotMatch(String(send?.title), /\$\(play\)|\]\(/);
  });

  it('connect while the platform cannot be called', () => {
    const lens = (connections: Parameters<typeof connectLens>[0]) => {
      const found = connectLens(connections);
      return found && [String(found.title), found.command];
    };
    assert.equal(lens(local), undefined);
    assert.deepEqual(lens({ client: undefined, profile: undefined }), [
      '$(plug) Connect to Send…',
      'cloudCompute.connect',
    ]);
    assert.deepEqual(lens({ ...local, client: undefined }), [
      '$(plug) Start Local Platform to Send',
      'cloudCompute.localPlatform.start',
    ]);
    assert.deepEqual(lens({ ...hosted, client: undefined }), [
      '$(plug) Sign In to Send',
      'cloudCompute.connections.replaceKey',
    ]);
  });
});
