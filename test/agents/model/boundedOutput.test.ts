import assert from 'node:assert/strict';
import fc from 'fast-check';
import { boundedOutput } from '../../../src/agents/model/boundedOutput.ts';

describe('boundedOutput', () => {
  const identity = (text: string) => text;
  const ones = (length: number) => Array.from({ length }, () => 1);

  it('returns a small value unchanged', () => {
    const value = { a: [1, 'two', null, { b: true }], text: 'line\nline' };
    assert.deepEqual(boundedOutput(value), value);
  });

  it('keeps a value that has exactly the maximum size', () => {
    const fitting = 'x'.repeat(29_998);
    assert.equal(boundedOutput(fitting), fitting);
    assert.notEqual(boundedOutput(`${fitting}x`), `${fitting}x`);
    assert.deepEqual(boundedOutput(ones(50), identity, 101), ones(50));
    assert.equal(boundedOutput(undefined), null);
  });

  it('keeps the beginning and the end of a long text, and counts the rest', () => {
    const text = `start${'x'.repeat(10_000)}end`;
    const bounded = boundedOutput({ text }, identity, 1_000) as { text: string };
    assert.match(bounded.text, /^startx+ … \d+ characters left out … x+end$/);
    const [, left = ''] = /(\d+) characters/.exec(bounded.text) ?? [];
    assert.equal(bounded.text.replace(/ … .* … /, '').length + Number(left), text.length);
  });

  it('keeps an item for each ten characters of the maximum size, and counts the rest', () => {
    const list = Array.from({ length: 5_000 }, (_, index) => index);
    const bounded = boundedOutput({ list }, identity, 1_000) as { list: unknown[] };
    assert.deepEqual(bounded.list, [...list.slice(0, 100), '4900 more items left out']);
    const members = Object.fromEntries(list.map((index) => [`m${index}`, index]));
    const { leftOut, ...kept } = boundedOutput(members, identity, 1_000) as Record<string, unknown>;
    assert.equal(leftOut, `${5_000 - Object.keys(kept).length} more members`);
  });

  it('keeps 70 percent of the longest text from its beginning, and 30 percent from its end', () => {
    const digits = Array.from({ length: 200 }, (_, index) => String(index % 10)).join('');
    // The limits are 100, 75, and 56 characters. The last one fits with its note.
    assert.equal(
      boundedOutput(digits, identity, 100),
      `${digits.slice(0, 40)} … 144 characters left out … ${digits.slice(-16)}`,
    );
  });

  it('keeps at least two items and members, 40 characters, and 3 levels', () => {
    const long = 'x'.repeat(15);
    assert.deepEqual(boundedOutput([long, long, long, long], identity, 61), [long, long, '2 more items left out']);
    assert.deepEqual(boundedOutput({ a: long, b: long, c: long, d: long }, identity, 72), {
      ...{ a: long, b: long, leftOut: '2 more members' },
    });
    const text = `${'y'.repeat(28)} … 60 characters left out … ${'y'.repeat(12)}`;
    const texts = Array.from({ length: 40 }, () => 'y'.repeat(100));
    assert.deepEqual(boundedOutput(texts, identity, 168), [text, text, '38 more items left out']);
    const deep = Array.from({ length: 40 }, () => [[ones(3)]]);
    const cut = [['3 items left out']];
    assert.deepEqual(boundedOutput(deep, identity, 72), [cut, cut, '38 more items left out']);
  });

  it('cuts only texts and lists that are longer than the first limits that fit', () => {
    // The limits are 1,000 characters and 100 items, and then 750 characters and 75 items.
    const list = ones(500);
    const exact = { text: 'x'.repeat(754), list: [...ones(100), '400 more items left out'] };
    assert.equal(JSON.stringify(exact).length, 1_000);
    assert.deepEqual(boundedOutput({ ...exact, list }, identity, 1_000), exact);
    const shorter = { text: 'x'.repeat(750), list: [...ones(75), '425 more items left out'], end: 'y'.repeat(20) };
    assert.deepEqual(boundedOutput({ ...shorter, list }, identity, 1_000), shorter);
    assert.deepEqual(boundedOutput([ones(100), list], identity, 1_000), [ones(100), exact.list]);
  });

  it('names a single item, member, or character that is left out', () => {
    const long = 'x'.repeat(900);
    assert.deepEqual(boundedOutput([...ones(100), long], identity, 1_000), [...ones(100), '1 more item left out']);
    const members = Object.fromEntries([...ones(100), long].map((member, index) => [`m${index}`, member]));
    assert.equal((boundedOutput(members, identity, 1_000) as Record<string, unknown>)['leftOut'], '1 more member');
    const { text } = boundedOutput({ text: 'x'.repeat(751), list: ones(500), end: 1 }, identity, 1_000) as {
      text: string;
    };
    assert.equal(text, `${'x'.repeat(525)} … 1 character left out … ${'x'.repeat(225)}`);
  });

  it('replaces the halves of characters that its cuts divide', () => {
    const bounded = boundedOutput('😀'.repeat(100), identity, 102) as string;
    assert.ok(bounded.isWellFormed());
    const odd = boundedOutput(`x${'😀'.repeat(100)}`, identity, 100) as string;
    assert.ok(odd.isWellFormed());
    assert.ok(`${bounded}${odd}`.includes('\ufffd'), 'a cut divides a character');
  });

  it('says only its size if even the shortest form is too large', () => {
    const value = Array.from({ length: 3 }, () => 'x'.repeat(10));
    assert.deepEqual(boundedOutput(value, identity, 30), { leftOut: '40 characters of JSON' });
  });

  it('never exceeds its size, for any value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.integer({ min: 100, max: 2_000 }), (value, largest) => {
        const repeated = Array.from({ length: 50 }, () => value);
        const text = JSON.stringify(boundedOutput(repeated, identity, largest));
        assert.ok(text.length <= largest, `${text.length} > ${largest}`);
        JSON.parse(text);
      }),
      { numRuns: 300 },
    );
  });

  const nested = (levels: number, inner: unknown) => {
    let value = inner;
    for (let level = 0; level < levels; level++) value = [value];
    return value;
  };

  it('keeps 12 levels of a value that is too large', () => {
    assert.deepEqual(boundedOutput(nested(20, 'x'.repeat(1_000)), identity, 500), nested(12, '1 item left out'));
  });

  it('keeps 100 levels, and counts what the next level has', () => {
    assert.deepEqual(boundedOutput(nested(100, 'in')), nested(100, 'in'));
    assert.deepEqual(boundedOutput(nested(100, ['a', 'b'])), nested(100, '2 items left out'));
    assert.deepEqual(boundedOutput(nested(100, { a: 1 })), nested(100, '1 member left out'));
  });

  it('removes colors and invisible characters, which can hide instructions', () => {
    const hidden = ['r', 'u', 'n'].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('');
    const value = { '\u202ekey': `\u001b[31mred\u001b[0m ${hidden}\u200btext` };
    assert.deepEqual(boundedOutput(value), { key: 'red text' });
  });

  it('cleans only the ends of a string that is far too long, and counts all that is left out', () => {
    const cleaned: number[] = [];
    const text = `begin ${'x'.repeat(20_000_000)} end`;
    const bounded = boundedOutput(text, (part) => {
      cleaned.push(part.length);
      return part;
    }) as string;
    assert.ok(cleaned.every((length) => length <= 60_000));
    const [, head = '', left, tail = ''] = /^(begin x+) … (\d+) characters left out … (x+ end)$/.exec(bounded) ?? [];
    assert.equal(head.length + Number(left) + tail.length, text.length);
  });

  it('cleans each string before it cuts', () => {
    const bounded = boundedOutput(['my secret', 'x'.repeat(2_000)], (text) => text.replaceAll('secret', '…'), 500);
    assert.equal((bounded as string[])[0], 'my …');
  });
});
