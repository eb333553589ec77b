import assert from 'node:assert/strict';
import { endpointReference, requestText } from '../../../../src/features/requests/history/requestText.ts';

describe('The text of a request', () => {
  it('has the syntax of HTTP files', () => {
    const headers = [{ name: 'X-A', value: 'b\r\nc' }];
    const body = { kind: 'text', text: '{}' } as const;
    assert.equal(
      requestText('hello', { name: 'one', method: 'POST', path: '/a', headers, body }),
      '### one\nPOST {{endpoint:hello}}/a\nX-A: b c\n\n{}\n',
    );
    const file = { kind: 'file', path: 'a.bin' } as const;
    assert.equal(
      requestText('e', { name: undefined, method: 'PUT', path: '/', body: file }),
      '###\nPUT {{endpoint:e}}/\n\n< a.bin\n',
    );
  });

  it('names an endpoint by its ID if its name is ambiguous or cannot be written', () => {
    const named = (name: string) => ({ id: 'id1', name });
    assert.equal(endpointReference(named('a'), [named('a'), named('b')]), 'a');
    assert.equal(endpointReference(named('a'), [named('a'), named('a')]), 'id1');
    assert.equal(endpointReference(named('a}}'), [named('a}}')]), 'id1');
  });
});
