import assert from 'node:assert/strict';
import { keyKind } from '../../src/text/keyPatterns.ts';

/** Returns characters that resemble a random key. Keys are assembled, so that scanners of repositories do not report this file. */
const random = (length: number): string => 'a8Kd3ZqP0vR7mX2tLw9YbC5nHs4GfJ6e'.repeat(10).slice(0, length);
const caps = (length: number): string => 'Q7WJ3KX5ZP2MN6RT'.repeat(4).slice(0, length);

describe('a literal that looks like a key', () => {
  for (const [looksLike, value] of [
    ['an API key', `sk-${random(48)}`],
    ['an API key', `sk-proj-${random(20)}_${random(20)}-${random(20)}`],
    ['an API key', `sk-ant-api03-${random(60)}`],
    ['a GitHub token', `ghp_${random(36)}`],
    ['a GitHub token', `github_pat_${random(22)}_${random(59)}`],
    ['a GitLab token', `glpat-${random(20)}`],
    ['an AWS access key', `AKIA${caps(16)}`],
    ['a Hugging Face token', `hf_${random(34)}`],
    ['a Slack token', `xoxb-${random(12)}-${random(24)}`],
    ['a Stripe key', `sk_live_${random(24)}`],
    ['a Google API key', `AIza${random(35)}`],
    ['an npm token', `npm_${random(36)}`],
    ['a PyPI token', `pypi-${random(60)}`],
    ['a Replicate token', `r8_${random(37)}`],
    ['a SendGrid key', `SG.${random(22)}.${random(43)}`],
    ['a JSON Web Token', `eyJ${random(20)}.eyJ${random(40)}.${random(43)}`],
    ['a private key', `-----BEGIN RSA PRIVATE KEY-----\n${random(64)}\n-----END RSA PRIVATE KEY-----\n`],
    ['a private key', `-----BEGIN PRIVATE KEY-----\n${random(64)}`],
  ] as const)
    it(`is ${looksLike} that starts with ${value.slice(0, 8)}`, () => {
      assert.equal(keyKind('ANY', value), looksLike);
      assert.equal(keyKind('ANY', `Bearer ${value}`), looksLike);
    });

  for (const variable of ['API_TOKEN', 'OPENAI_API_KEY', 'SECRET', 'DB_PASSWORD', 'aws_secret'])
    it(`has many different characters and a name such as ${variable}`, () => {
      assert.equal(keyKind(variable, random(32)), 'a key');
      assert.equal(keyKind(variable, '9f86d081884c7d659a2feaa0c55ad015'), 'a key');
    });

  for (const [variable, value] of [
    ['API_TOKEN', 'short'],
    ['API_TOKEN', '<your API token goes here>'],
    ['API_TOKEN', 'changeme-changeme-changeme-123'],
    ['API_TOKEN', 'your-token-a8Kd3ZqP0vR7mX2t'],
    ['API_TOKEN', 'xxxxxxxxxxxxxxxxxxxxxxxx'],
    ['AWS_ACCESS_KEY_ID', 'AKIAIOSFODNN7EXAMPLE'],
    ['SORT_KEY', 'created_at_descending_by_user'],
    ['PARTITION_KEY', 'us-east-1-partition-0002'],
    ['CACHE_KEY', 'myApplicationCacheKeyName'],
    ['SSH_KEY', '/home/user/.ssh/id_ed25519_2024a'],
    ['TOKEN', 'https://auth.internal/a8Kd3ZqP0vR7mX2t'],
    ['DB_PASSWORD', 'correct horse battery staple'],
    ['SIGNING_PUBLIC_KEY', random(32)],
    ['IMAGE_DIGEST', '9f86d081884c7d659a2feaa0c55ad015'],
    ['MODEL', 'sk-learn-v2-compatible-transformer'],
    ['MODEL', 'task-a8Kd3ZqP0vR7mX2tLw9Y'],
    ['MODEL', 'AKIA-not-a-key-but-a-name-1234'],
    ['MODEL', 'hf_internal_testing/tiny-random-llama-2'],
    ['CERTIFICATE', '-----BEGIN CERTIFICATE-----\nMIIB'],
    ['KEYBOARD_LAYOUT', random(32)],
    ['TOKENIZER', random(32)],
  ] as const)
    it(`is not ${variable}=${value}`, () => {
      assert.equal(keyKind(variable, value), undefined);
    });
});
