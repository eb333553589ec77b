import assert from 'node:assert/strict';
import type { StartProblem } from '../../../../src/contract/startProblem.ts';
import { pullError, pullFailure } from '../../../../src/platform/runtimes/container/pullFailure.ts';

/* Texts of Docker 20.10 and Podman 4.3, and of Docker Hub. */

const reference = { registry: '127.0.0.1:5000', repository: 'worker', tag: '1' };
const official = { registry: 'docker.io', repository: 'library/worker', tag: '1' };
const podman = 'initializing source docker://127.0.0.1:5000/worker:1: ';

const TEXTS: Partial<Record<StartProblem, readonly string[]>> = {
  imageNotFound: [
    'manifest for 127.0.0.1:5000/worker:1 not found: manifest unknown: manifest unknown',
    `${podman}reading manifest 1 in 127.0.0.1:5000/worker: manifest unknown: manifest unknown`,
    `${podman}reading manifest 1 in 127.0.0.1:5000/worker: name unknown: repository name not known to registry`,
  ],
  credentialsMissing: [
    'Head "http://127.0.0.1:5000/v2/worker/manifests/1": no basic auth credentials',
    'unauthorized: authentication required',
    `${podman}reading manifest 1 in 127.0.0.1:5000/worker: unauthorized: authentication required`,
    'denied: denied',
    "pull access denied for team/worker, repository does not exist or may require 'docker login': denied: requested access to the resource is denied",
  ],
  registryUnreachable: [
    'Get "http://127.0.0.1:5999/v2/": dial tcp 127.0.0.1:5999: connect: connection refused',
    'Get "https://registry.invalid/v2/": dial tcp: lookup registry.invalid on 192.0.2.1:53: no such host',
    'Get "https://registry.example/v2/": net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)',
    'Get "https://192.0.2.1:5000/v2/": http: server gave HTTP response to HTTPS client',
    'Get "https://192.0.2.1:5000/v2/": x509: certificate signed by unknown authority',
    `${podman}pinging container registry 127.0.0.1:5000: Get "http://127.0.0.1:5000/v2/": EOF`,
  ],
  registryFailing: [
    'received unexpected HTTP status: 503 Service Unavailable',
    'Get "http://127.0.0.1:5000/v2/": received unexpected HTTP status: 500 Internal Server Error',
    `${podman}pinging container registry 127.0.0.1:5000: received unexpected HTTP status: 500 Internal Server Error`,
    `${podman}reading manifest 1 in 127.0.0.1:5000/worker: received unexpected HTTP status: 502 Bad Gateway`,
  ],
  rateLimited: [
    'toomanyrequests: You have reached your unauthenticated pull rate limit. https://www.docker.com/increase-rate-limit',
    `${podman}reading manifest 1 in docker.io/library/worker: toomanyrequests: You have reached your pull rate limit`,
  ],
  wrongPlatform: [
    'no matching manifest for linux/arm64/v8 in the manifest list entries',
    'choosing an image from manifest list docker://worker:1: no image found in image index for architecture "arm64", variant "v8", OS "linux"',
  ],
  noSpace: [
    'failed to register layer: Error processing tar file(exit status 1): write /usr/bin/node: no space left on device',
    'writing blob: storing blob to file "/var/tmp/storage1/1": write /var/tmp/storage1/1: no space left on device',
  ],
};

describe('pullFailure', () => {
  const problemOf = (text: string, withCredentials = false, of = reference): StartProblem | undefined =>
    pullFailure(text, { reference: of, withCredentials }).problem;

  for (const [problem, texts] of Object.entries(TEXTS)) {
    for (const text of texts) {
      it(`recognizes ${problem}: ${text.slice(0, 60)}`, () => {
        assert.equal(problemOf(text), problem);
        const refused = problem === 'credentialsMissing' ? 'credentialsRefused' : problem;
        assert.equal(problemOf(text, true), refused, 'with credentials');
      });
    }
  }

  const denied = "pull access denied for worker, repository does not exist or may require 'docker login'";

  it('knows that a refused official image does not exist', () => {
    assert.equal(problemOf(denied, false, official), 'imageNotFound');
    assert.equal(problemOf(denied, true, official), 'imageNotFound');
  });

  it('tells whether an image without credentials may be missing instead', () => {
    const attempt = { reference, withCredentials: false };
    assert.equal(pullFailure(denied, attempt).mayBeMissing, true);
    assert.equal(pullFailure('unauthorized: authentication required', attempt).mayBeMissing, undefined);
    assert.equal(pullFailure(denied, { reference, withCredentials: true }).mayBeMissing, undefined);
  });

  it('has no problem for other texts, but keeps the reason of the engine', () => {
    const failure = pullFailure('something\n  else', { reference, withCredentials: false });
    assert.deepEqual(failure, { problem: undefined, reason: 'something else' });
    const { message, problem } = pullError(failure, reference);
    assert.equal(problem, undefined);
    assert.equal(message, 'the image 127.0.0.1:5000/worker:1 cannot be pulled. The engine reports: something else');
  });

  it('is told with the image, a remedy, and the reason of the engine', () => {
    const [text = ''] = TEXTS.imageNotFound ?? [];
    const { message } = pullError(pullFailure(text, { reference, withCredentials: false }), reference);
    assert.match(
      message,
      /^the image 127\.0\.0\.1:5000\/worker:1 exists neither in its registry nor on the engine\. Check its name/,
    );
    assert.ok(message.endsWith(`The engine reports: ${text}`));
  });
});
