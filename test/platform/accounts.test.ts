// Clauses of the interface: Authentication 1; Authentication 3; Authentication 4; Authentication 5.
import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { SignJWT } from 'jose';
import { operations } from '../../src/contract/operations.ts';
import { PERMISSIONS } from '../../src/contract/permissions.ts';
import { Accounts } from '../../src/platform/accounts/accounts.ts';
import { Authenticator } from '../../src/platform/accounts/authenticator.ts';
import { SessionSigner } from '../../src/platform/accounts/sessions.ts';
import { sessionSecret } from '../../src/platform/accounts/sessions.ts';
import type { Caller } from '../../src/platform/domain/account.ts';
import { Refusal } from '../../src/platform/domain/refusal.ts';
import { openSqliteStore } from '../../src/platform/store/sqlite/sqlite.ts';
import type { Store } from '../../src/platform/store/store.ts';
import { cleanUp, dataDirectory, settableClock } from './support.ts';

const start = Date.parse('2026-03-01T00:00:00Z');
const secret = new Uint8Array(32).fill(7);

describe('Accounts', () => {
  const clock = settableClock(start);
  const signer = new SessionSigner(secret);
  let store: Store;
  let accounts: Accounts;
  let authenticator: Authenticator;

  beforeEach(() => {
    clock.set(start);
    store = openSqliteStore(':memory:');
    accounts = new Accounts(store, clock, signer);
    authenticator = new Authenticator({ apiKey: "the owner's", accounts, store, clock });
  });

  afterEach(() => store.close());

  const caller = async (authorization: string | undefined, more: Record<string, string> = {}) =>
    authenticator.authenticate({ authorization, ...more });

  const refused = async (authorization: string | undefined): Promise<Refusal> => {
    const outcome = await caller(authorization).catch((error: unknown) => error);
    assert.ok(outcome instanceof Refusal, 'the request was admitted');
    assert.equal(outcome.status, 401);
    return outcome;
  };

  describe('API key', () => {
    it("acts for its account, by default the owner's, with all permissions", async () => {
      const user = accounts.createUser({ name: 'Ada' });
      const { key } = accounts.createKey({ accountId: user.id, name: 'laptop' });
      const expected: Caller = {
        ...{ accountId: user.id, countedAs: user.id, quotas: undefined, invocationQuotas: undefined },
        ...{ permissions: undefined, endpointIds: undefined, isPlatformOwner: false },
      };
      assert.deepEqual(await caller(`Bearer ${key}`), expected);
      assert.deepEqual(await caller(`bearer   ${key} `), expected, 'the scheme is case-insensitive');
      const own = accounts.createKey({ name: 'second' });
      assert.deepEqual(await caller(`Bearer ${own.key}`), { ...expected, accountId: 'owner', countedAs: 'owner' });
    });

    it('acts for the team that it belongs to, and ignores X-Team-Id', async () => {
      const [team, other] = ['one', 'other'].map((name) => accounts.createTeam({ name }));
      assert.ok(team && other);
      const { key } = accounts.createKey({ accountId: team.id, name: 'CI' });
      assert.equal((await caller(`Bearer ${key}`)).accountId, team.id);
      assert.equal((await caller(`Bearer ${key}`, { 'x-team-id': other.id })).accountId, team.id);
    });

    it('is stored only as a salted digest, and shown once', () => {
      const keys = [1, 2].map(() => accounts.createKey({ name: 'key' }));
      for (const { key, record } of keys) {
        assert.match(key, /^cck_[a-z0-9]{16}_[\w-]{43}$/);
        assert.ok(key.includes(record.id), 'the public part of the key is its ID');
        assert.ok(!('digest' in record) && !('salt' in record));
      }
      const written = JSON.stringify([store.accounts.apiKeys(), accounts.keys()]);
      for (const { key } of keys) assert.ok(!written.includes(key.slice(21)), 'the secret is stored');
      assert.notEqual(store.accounts.apiKeys()[0]?.salt, store.accounts.apiKeys()[1]?.salt);
    });

    it('is refused if its secret or ID belongs to another key', async () => {
      const [one, other] = [1, 2].map(() => accounts.createKey({ name: 'key' }).key);
      assert.ok(one && other);
      await caller(`Bearer ${one}`);
      for (const mixed of [one.slice(0, 20) + other.slice(20), `${one.slice(0, -1)}${one.endsWith('A') ? 'E' : 'A'}`]) {
        assert.equal((await refused(`Bearer ${mixed}`)).message, 'invalid bearer token');
      }
    });

    it('expires exactly at its expiry time, even after use', async () => {
      const { key } = accounts.createKey({ name: 'brief', expiresAt: start + 1000 });
      clock.set(start + 999);
      await caller(`Bearer ${key}`);
      clock.set(start + 1000);
      assert.equal((await refused(`Bearer ${key}`)).message, 'expired bearer token');
      const wrong = `${key.slice(0, -2)}__`;
      assert.equal(
        (await refused(`Bearer ${wrong}`)).message,
        'invalid bearer token',
        'only the holder of the key learns that it has expired',
      );
    });

    it('is refused immediately after it is revoked', async () => {
      const { key, record } = accounts.createKey({ name: 'lost' });
      await caller(`Bearer ${key}`);
      accounts.revokeKey(record.id);
      assert.equal((await refused(`Bearer ${key}`)).message, 'invalid bearer token');
      assert.throws(() => accounts.revokeKey(record.id), { status: 404 });
    });

    it('cannot be created with unknown permissions or for an unknown account', () => {
      assert.throws(
        () => accounts.createKey({ name: 'x', permissions: ['billing:read', 'billing:drop'] }),
        (error: Refusal) =>
          error.status === 400 && error.errors.join() === "$.permissions: there is no permission 'billing:drop'",
      );
      assert.throws(() => accounts.createKey({ name: 'x', accountId: 'missing' }), { status: 404 });
    });
  });

  describe('console session', () => {
    it('acts for its user, and for teams that the user owns or belongs to', async () => {
      const [ada, bob, eve] = ['Ada', 'Bob', 'Eve'].map((name) => accounts.createUser({ name }));
      assert.ok(ada && bob && eve);
      const team = accounts.createTeam({ name: 'engines', ownerId: ada.id });
      accounts.addMember(team.id, bob.id);
      const actsFor = async (userId: string, teamId?: string) => {
        const { token } = await accounts.createSession(userId);
        const { accountId, countedAs } = await caller(
          `Bearer ${token}`,
          teamId === undefined ? {} : { 'x-team-id': teamId },
        );
        assert.equal(countedAs, userId, "requests count toward the user's limits");
        return accountId;
      };
      assert.equal(await actsFor(ada.id), ada.id);
      assert.equal(await actsFor(ada.id, team.id), team.id);
      assert.equal(await actsFor(bob.id, team.id), team.id);
      // The header is ignored for a team without this user, an unknown team, and an invalid ID.
      assert.equal(await actsFor(eve.id, team.id), eve.id);
      assert.equal(await actsFor(eve.id, 'team_nowhere'), eve.id);
      assert.equal(await actsFor(eve.id, ada.id), eve.id);
      assert.deepEqual(accounts.members(team.id), [bob.id]);
    });

    it('loses access to a team when its user leaves the team', async () => {
      const bob = accounts.createUser({ name: 'Bob' });
      const team = accounts.createTeam({ name: 'engines' });
      accounts.addMember(team.id, bob.id);
      const { token } = await accounts.createSession(bob.id);
      assert.equal((await caller(`Bearer ${token}`, { 'x-team-id': team.id })).accountId, team.id);
      accounts.removeMember(team.id, bob.id);
      assert.equal((await caller(`Bearer ${token}`, { 'x-team-id': team.id })).accountId, bob.id);
    });

    it("expires exactly at its expiry time by the platform's clock", async () => {
      const { token, expiresAt } = await accounts.createSession(undefined, 60_500);
      assert.equal(expiresAt, start + 60_000, 'the expiry is a whole second');
      clock.set(expiresAt - 1);
      assert.equal((await caller(`Bearer ${token}`)).accountId, 'owner');
      clock.set(expiresAt);
      assert.equal((await refused(`Bearer ${token}`)).message, 'expired bearer token');
    });

    it('is refused if it is unsigned, signed with another key, or issued for another purpose', async () => {
      const claims = (alg = 'HS256') =>
        new SignJWT()
          .setProtectedHeader({ alg })
          .setSubject('owner')
          .setIssuer('urn:cloud-compute:local-platform')
          .setAudience('console')
          .setExpirationTime(start / 1000 + 3600);
      assert.equal((await caller(`Bearer ${await claims().sign(secret)}`)).accountId, 'owner', 'the claims are valid');
      const { token } = await accounts.createSession();
      const [header = '', payload = ''] = token.split('.');
      const none = Buffer.from('{"alg":"none"}').toString('base64url');
      for (const forged of [
        await claims().sign(new Uint8Array(32).fill(8)),
        await claims().setAudience('elsewhere').sign(secret),
        await claims().setIssuer('urn:other').sign(secret),
        await claims().setSubject('missing').sign(secret),
        await claims('HS512').sign(new Uint8Array(64).fill(7)),
        `${header}.${payload}.AAAA`,
        `${none}.${payload}.AAAA`,
        'a.b.c',
      ]) {
        assert.equal((await refused(`Bearer ${forged}`)).message, 'invalid bearer token', forged);
      }
    });

    it('cannot be created for a team', async () => {
      const team = accounts.createTeam({ name: 'engines' });
      await assert.rejects(async () => accounts.createSession(team.id), { status: 404 });
    });

    it('survives a restart on the same data directory, and is refused by other platforms', async () => {
      const directory = await dataDirectory();
      const first = await sessionSecret(directory);
      assert.deepEqual(await sessionSecret(directory), first);
      assert.notDeepEqual(await sessionSecret(await dataDirectory()), first);
      assert.notDeepEqual(await sessionSecret(undefined), await sessionSecret(undefined));
      const [file = ''] = await readdir(directory);
      assert.deepEqual(new Uint8Array(await readFile(path.join(directory, file))), new Uint8Array(first));
      if (process.platform !== 'win32') assert.equal((await stat(path.join(directory, file))).mode & 0o777, 0o600);
      await cleanUp();
    });
  });

  it('describe the problem with a token in each refusal', async () => {
    const details = {
      missing: [undefined, '', 'Bearer', 'Bearer  '],
      'malformed Authorization header': ['Basic YTpi', "the owner's", 'Token x'],
      'malformed bearer token': ['Bearer two words', 'Bearer käse', 'Bearer "quoted"'],
      invalid: ['Bearer wrong', 'Bearer cck_short', `Bearer cck_${'a'.repeat(16)}_${'b'.repeat(43)}`],
    };
    for (const [detail, headers] of Object.entries(details)) {
      for (const header of headers) {
        const { message, headers: sent } = await refused(header);
        assert.ok(message.startsWith(detail), `${header}: ${message}`);
        assert.match(sent['WWW-Authenticate'] ?? '', /^Bearer( error="invalid_(token|request)")?$/);
      }
    }
  });

  it('refuse a key without the Bearer scheme', async () => {
    const { key } = accounts.createKey({ name: 'queue' });
    assert.equal((await refused(key)).message.split(':')[0], 'malformed Authorization header');
    assert.equal((await caller(`Bearer ${key}`)).accountId, 'owner');
  });

  it("distinguish the platform's own key from other keys of the owner", async () => {
    assert.ok((await caller("Bearer the owner's")).isPlatformOwner);
    assert.ok(!(await caller(`Bearer ${accounts.createKey({ name: 'second' }).key}`)).isPlatformOwner);
  });

  it('define a read permission for each group of operations, and a permission to call endpoints', () => {
    const groups = Object.values(operations).flatMap((row) => (row.address === 'queueUrl' ? [] : [row.tag]));
    for (const group of groups) assert.ok(PERMISSIONS.includes(`${group.toLowerCase().replace(' ', '-')}:read`), group);
    assert.ok(PERMISSIONS.includes('invoke'));
    assert.ok(!PERMISSIONS.includes('billing:write'), 'no permission allows changes to the bill');
  });
});
