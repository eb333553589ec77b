import assert from 'node:assert/strict';
import { SampleError, type SampleErrorCode } from '../../../../src/features/local/firstSteps/actions/sampleError.ts';
import { explained, PlatformStartFailed } from '../../../../src/features/local/firstSteps/sampleErrors.ts';
import { UserError } from '../../../../src/kit/userError.ts';

const FOLDER = '/home/me/hello-queue';

/** Returns the message and the command of the button. */
function shownFor(error: unknown): readonly [message: string, command: string | undefined, argument?: unknown] {
  const user = explained(error, FOLDER);
  assert.ok(user instanceof UserError);
  return [user.message, user.remedy?.command, user.remedy?.argument];
}

describe('explained', () => {
  const codes: Readonly<Record<SampleErrorCode, readonly [message: RegExp, command: string]>> = {
    notEmpty: [/^\/home\/me\/hello-queue contains other files/, 'cloudCompute.sample.try'],
    notFolder: [/^\/home\/me\/hello-queue is not in a folder/, 'cloudCompute.sample.try'],
    unwritable: [/cannot be copied to \/home\/me\/hello-queue \(no space\)/, 'cloudCompute.sample.try'],
    changed: [/\/home\/me\/hello-queue was changed and is not valid \(no space\)/, 'cloudCompute.sample.try'],
    workerFailed: [/needs Node\.js 18/, 'cloudCompute.endpoints.explain'],
    platformStopped: [/resumes when the platform restarts/, 'cloudCompute.localPlatform.start'],
  };
  for (const code of Object.keys(codes) as SampleErrorCode[])
    it(`gives the reason and a remedy for "${code}"`, () => {
      const [message, command] = shownFor(new SampleError(code, { reason: 'no space', endpointId: 'e1' }));
      assert.match(message, codes[code][0]);
      assert.equal(command, codes[code][1]);
    });

  it('explains the endpoint whose worker failed', () => {
    const [, , argument] = shownFor(new SampleError('workerFailed', { endpointId: 'e1' }));
    assert.deepEqual(argument, { kind: 'endpoint', endpointId: 'e1' });
  });

  it('opens the log of a platform that did not start', () => {
    const [message, command] = shownFor(new PlatformStartFailed(new Error('port 5000 is in use')));
    assert.match(message, /did not start \(port 5000 is in use\)/);
    assert.equal(command, 'cloudCompute.localPlatform.openLog');
  });

  it('returns other errors unchanged, so that they have their usual message', () => {
    const error = new Error('other');
    assert.equal(explained(error, FOLDER), error);
  });
});
