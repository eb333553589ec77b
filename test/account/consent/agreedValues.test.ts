import assert from 'node:assert/strict';
import { notAgreed, withAgreement } from '../../../src/account/consent/trustDecision.ts';

const token = { kind: 'secret', name: 'TOKEN' } as const;
const other = { kind: 'env', name: 'TOKEN' } as const;

describe('the consent to send values', () => {
  it('is needed for each name, kind, and connection once', () => {
    assert.deepEqual(notAgreed({}, 'a', [token, other]), [token, other]);
    const agreed = withAgreement({}, 'a', [token]);
    assert.deepEqual(notAgreed(agreed, 'a', [token, other]), [other]);
    assert.deepEqual(notAgreed(agreed, 'b', [token]), [token]);
    assert.deepEqual(notAgreed(withAgreement(agreed, 'a', [other]), 'a', [token, other]), []);
  });

  it('does not apply to a connection with the name of an inherited property', () => {
    assert.deepEqual(notAgreed({}, 'constructor', [token]), [token]);
  });
});
