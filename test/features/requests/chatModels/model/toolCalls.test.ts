import assert from 'node:assert/strict';
import { ToolCalls } from '../../../../../src/features/requests/chatModels/model/toolCalls.ts';

type Fragment = Parameters<ToolCalls['add']>[0];

const calls = (...fragments: Fragment[]) => {
  const assembled = new ToolCalls();
  for (const fragment of fragments) assembled.add(fragment);
  return assembled.take();
};
const inputOf = (text: string) => calls({ id: 'a', function: { name: 'f', arguments: text } })[0]?.input;

describe('Tool calls in fragments', () => {
  it('are assembled by their index, also when they alternate', () => {
    assert.deepEqual(
      calls(
        { index: 1, id: 'b', function: { name: 'g', arguments: '{"y":' } },
        { index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } },
        { index: 1, function: { arguments: '2}' } },
        { index: 0, function: { arguments: ':1}' } },
      ),
      [
        { id: 'a', name: 'f', input: { x: 1 } },
        { id: 'b', name: 'g', input: { y: 2 } },
      ],
    );
  });

  it('without an index begin with each new ID', () => {
    assert.deepEqual(
      calls(
        { id: 'a', function: { name: 'f', arguments: '{"x":' } },
        { function: { arguments: '1}' } },
        { id: 'b', function: { name: 'g', arguments: '' } },
      ),
      [
        { id: 'a', name: 'f', input: { x: 1 } },
        { id: 'b', name: 'g', input: {} },
      ],
    );
  });

  it('have a name that the server splits or repeats', () => {
    const named = (...names: string[]) => calls(...names.map((name) => ({ index: 0, function: { name } })))[0]?.name;
    assert.equal(named('get_', 'weather'), 'get_weather');
    assert.equal(named('weather', 'weather'), 'weather');
  });

  it('receive an ID if the server sends none', () => {
    assert.equal(calls({ index: 2, function: { name: 'f' } })[0]?.id, 'call_2');
  });

  it('have an object as input', () => {
    assert.deepEqual(inputOf(''), {});
    assert.deepEqual(inputOf(' '), {});
    assert.deepEqual(inputOf('"{\\"x\\":1}"'), { x: 1 }, 'encoded twice');
    for (const text of ['{"x"', '[1]', 'null', '1', '"text"', '{"x":1}{"x":1}'])
      assert.throws(() => inputOf(text), { name: 'ChatError', message: 'toolArguments: f' }, text);
  });

  it('are limited in number', () => {
    const many = Array.from({ length: 1000 }, (_, index) => ({ index, function: { name: 'f' } }));
    assert.equal(calls(...many).length, 64);
    assert.deepEqual(calls({ index: -1, function: { name: 'f' } }).length, 1);
  });
});
