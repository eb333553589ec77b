import assert from 'node:assert/strict';
import { readManifest } from '../../../scripts/l10n/packageTexts.ts';
import { BILLING_COMMANDS } from '../../../src/features/spend/billing/billingView.ts';
import { remedyButton } from '../../../src/kit/webviewPage.ts';
import {
  notConnected,
  NotConnectedError,
  requireConnection,
  requireConnectionOf,
  type NotConnectedCode,
} from '../../../src/account/connections/requireConnection.ts';

const client = { calls: 'the platform' };
const local = { kind: 'local', id: 'local', name: 'Local Platform' } as const;
const hosted = { kind: 'hosted', id: 'h1', name: 'Work' } as const;

/** Current connections that cannot be called, each with its code, message, and remedy. */
const unusable = [
  [undefined, 'none', 'no platform is connected', 'cloudCompute.localPlatform.start'],
  [local, 'localNotRunning', 'the local platform is not running', 'cloudCompute.localPlatform.start'],
  [hosted, 'signedOut', 'you are signed out of “Work”', 'cloudCompute.connections.replaceKey'],
] as const;

describe('requireConnection', () => {
  it('returns the current connection with its client', () => {
    for (const profile of [local, hosted]) {
      assert.deepEqual(requireConnection({ client, profile }), { client, profile });
      assert.equal(notConnected({ client, profile }), undefined);
    }
  });

  for (const [profile, code, message, command] of unusable) {
    it(`throws an error with a code, a message, and a remedy: ${code}`, () => {
      assert.throws(
        () => requireConnection({ client: undefined, profile }),
        (error) => {
          assert.ok(error instanceof NotConnectedError);
          assert.deepEqual([error.code, error.message, error.remedy?.command], [code, message, command]);
          return true;
        },
      );
      assert.equal(notConnected({ client: undefined, profile })?.code, code);
    });
  }

  it('rejects a connection that is not the current one', () => {
    const stored = new Map<string, typeof local | typeof hosted>([local, hosted].map((one) => [one.id, one]));
    const current = { client, profile: hosted, find: (id: string) => stored.get(id) };
    assert.deepEqual(requireConnectionOf(current, 'h1'), { client, profile: hosted });
    assert.throws(() => requireConnectionOf(current, 'local'), {
      code: 'notCurrent',
      message: 'it belongs to the connection “Local Platform”, which is not the current one',
    });
    assert.throws(() => requireConnectionOf(current, 'gone'), { code: 'unknown' });
    assert.throws(() => requireConnectionOf({ ...current, client: undefined }, 'h1'), { code: 'signedOut' });
  });

  it('escapes Markdown in the name of a connection', () => {
    const profile = { ...hosted, name: '[x](command:y)' };
    assert.doesNotMatch(notConnected({ client: undefined, profile })?.sentence.text ?? '', /\]\(/);
  });
});

describe('a view without a connection', () => {
  let contributes: { readonly viewsWelcome: readonly { view: string; when: string; contents: string }[] };

  before(async () => {
    ({ contributes } = (await readManifest()) as { contributes: typeof contributes });
  });

  /** `when` clause of the welcome text for each reason. */
  const conditions: readonly (readonly [NotConnectedCode, RegExp])[] = [
    ['none', /^cloudCompute\.connection == none$/],
    [
      'localNotRunning',
      /^cloudCompute\.connection == local && cloudCompute\.localPlatform (== |=~ \/\^\()(stopped|failed)/,
    ],
    ['signedOut', /^cloudCompute\.connection == signedOut$/],
  ];

  for (const [code, condition] of conditions) {
    it(`starts with the message for ${code} and offers its remedy first`, () => {
      // A text in package.json cannot contain the name of the connection.
      const { sentence, remedy } = new NotConnectedError(code, 'X');
      const words = sentence.text.replace('“X”', 'this platform');
      const texts = contributes.viewsWelcome.filter(({ when }) => condition.test(when));
      assert.ok(texts.length > 0);
      for (const { contents } of texts) {
        assert.ok(contents.startsWith(words), contents);
        // The sample of a new user resolves the reason too.
        const commands = [...contents.matchAll(/\(command:([\w.]+)\)/g)].map(([, command = '']) => command);
        assert.equal(
          commands.find((command) => command !== 'cloudCompute.sample.try'),
          remedy?.command,
        );
      }
    });
  }

  it('has an action on the billing page for each remedy', () => {
    for (const [code] of conditions) {
      const { remedy } = new NotConnectedError(code, 'X');
      assert.ok(remedy);
      const { action } = remedyButton(BILLING_COMMANDS, remedy).remedy ?? {};
      assert.equal(action && BILLING_COMMANDS[action], remedy.command);
    }
  });
});
