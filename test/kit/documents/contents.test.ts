import assert from 'node:assert/strict';
import { Contents, type Content } from '../../../src/kit/documents/contents.ts';

/** Contents whose clock stands still, so that each new time comes from a change. */
function sample(options: { readonly shown?: readonly string[]; readonly maxHidden?: number } = {}) {
  const { shown = [], maxHidden = 4 } = options;
  const events: string[] = [];
  let now = 1_000;
  const contents = new Contents<Content>({
    now: () => now,
    isShown: (key) => shown.includes(key),
    maxHidden,
    onRead: () => events.push('read'),
    onChange: (key) => events.push(`changed ${key}`),
  });
  return { contents, events, setTime: (ms: number) => void (now = ms) };
}

const text = (value: string) => () => Promise.resolve({ text: value });
const never = () => Promise.reject(new Error('not expected'));

describe('The content of a document', () => {
  it('is read once, also by two readers at a time', async () => {
    const { contents, events } = sample();
    let reads = 0;
    const read = () => Promise.resolve({ text: `read ${++reads}` });
    const [first, second] = await Promise.all([contents.get('a', read), contents.get('a', read)]);
    assert.deepEqual(first, { content: { text: 'read 1' }, mtime: 1_000 });
    assert.equal(second, first);
    assert.equal(await contents.get('a', never), first);
    assert.equal(contents.known('a')?.text, 'read 1');
    assert.deepEqual(contents.keys, ['a']);
    assert.deepEqual(events, ['read']);
  });

  it('is read again after a failure', async () => {
    const { contents, events } = sample();
    await assert.rejects(contents.get('a', never), /not expected/);
    assert.deepEqual([contents.keys, events], [[], []]);
    assert.equal((await contents.get('a', text('x'))).content.text, 'x');
  });

  it('gets a new time and an event only when its text changes', async () => {
    const { contents, events, setTime } = sample();
    const times = [(await contents.get('a', text('x'))).mtime];
    times.push((await contents.refresh('a', text('x'))).mtime);
    assert.deepEqual(events.splice(0), ['read', 'read']);
    times.push((await contents.refresh('a', text('y'))).mtime);
    assert.deepEqual(events.splice(0), ['changed a', 'read']);
    setTime(5_000);
    contents.put('a', { text: 'z' });
    times.push((await contents.get('a', never)).mtime);
    setTime(10);
    contents.put('a', { text: 'x' });
    times.push((await contents.get('a', never)).mtime);
    assert.deepEqual(times, [1_000, 1_000, 1_001, 5_000, 5_001]);
  });

  it('keeps its time while only its other fields change', async () => {
    const { contents } = sample();
    await contents.get('a', text('x'));
    contents.put('a', { text: 'x', isLive: true });
    assert.deepEqual(await contents.get('a', never), { content: { text: 'x', isLive: true }, mtime: 1_000 });
  });

  it('stays when it cannot be read again', async () => {
    const { contents, events } = sample();
    await contents.get('a', text('x'));
    await assert.rejects(contents.refresh('a', never));
    assert.equal(contents.known('a')?.text, 'x');
    assert.deepEqual(events, ['read']);
  });

  it('has never the time of an earlier content of the same document', async () => {
    const { contents } = sample();
    const { mtime } = await contents.get('a', text('x'));
    contents.delete('a');
    assert.ok((await contents.get('a', text('y'))).mtime > mtime);
  });
});

describe('Reads of a document at the same time', () => {
  it('leave the content of the newest one, in whichever order they end', async () => {
    const { contents, events } = sample();
    const [older, newer] = [Promise.withResolvers<Content>(), Promise.withResolvers<Content>()];
    const [first, second] = [contents.get('a', () => older.promise), contents.refresh('a', () => newer.promise)];
    newer.resolve({ text: 'new' });
    const version = await second;
    older.resolve({ text: 'old' });
    assert.equal(await first, version);
    assert.equal(contents.known('a')?.text, 'new');
    assert.deepEqual(events, ['read']);
  });

  it('show the content of an older one until the newer one ends', async () => {
    const { contents, events } = sample();
    const [older, newer] = [Promise.withResolvers<Content>(), Promise.withResolvers<Content>()];
    const [first, second] = [contents.get('a', () => older.promise), contents.refresh('a', () => newer.promise)];
    older.resolve({ text: 'old' });
    assert.equal((await first).content.text, 'old');
    newer.resolve({ text: 'new' });
    assert.equal((await second).content.text, 'new');
    assert.deepEqual(events, ['read', 'changed a', 'read']);
  });

  it('do not replace a content that was put in the meantime', async () => {
    const { contents } = sample();
    const read = Promise.withResolvers<Content>();
    const version = contents.get('a', () => read.promise);
    contents.put('a', { text: 'put' });
    read.resolve({ text: 'read' });
    assert.equal((await version).content.text, 'put');
    assert.equal(contents.known('a')?.text, 'put');
  });

  it('are joined by later readers', async () => {
    const { contents } = sample();
    const [older, newer] = [Promise.withResolvers<Content>(), Promise.withResolvers<Content>()];
    const first = contents.get('a', () => older.promise);
    const second = contents.refresh('a', () => newer.promise);
    older.reject(new Error('older'));
    await assert.rejects(first, /older/);
    const third = contents.get('a', never);
    newer.resolve({ text: 'new' });
    assert.equal(await third, await second);
  });

  it('do not bring back a document that was hidden in the meantime', async () => {
    const { contents, events } = sample();
    await contents.get('a', text('x'));
    const read = Promise.withResolvers<Content>();
    const refreshed = contents.refresh('a', () => read.promise);
    contents.delete('a');
    read.resolve({ text: 'y' });
    assert.equal((await refreshed).content.text, 'y');
    assert.deepEqual([contents.known('a'), contents.keys], [undefined, []]);
    assert.deepEqual(events, ['read']);
  });
});

describe('A failed read of a hidden document', () => {
  it('does not affect the document after it is shown again', async () => {
    const { contents } = sample();
    const read = Promise.withResolvers<Content>();
    const failed = contents.get('a', () => read.promise);
    contents.delete('a');
    contents.put('a', { text: 'x' });
    read.reject(new Error('failed'));
    await assert.rejects(failed, /failed/);
    assert.equal(contents.known('a')?.text, 'x');
  });
});

describe('Documents that are not shown', () => {
  it('are forgotten from a maximum number on, the oldest first', () => {
    const { contents } = sample({ shown: ['a', 'c'], maxHidden: 2 });
    for (const key of ['a', 'b', 'c', 'd']) contents.put(key, { text: key });
    assert.deepEqual(contents.keys, ['a', 'b', 'c', 'd']);
    contents.put('e', { text: 'e' });
    assert.deepEqual(contents.keys, ['a', 'c', 'd', 'e']);
  });

  it('are not forgotten while they are read, because their readers wait', async () => {
    const { contents } = sample({ maxHidden: 1 });
    const read = Promise.withResolvers<Content>();
    const version = contents.get('a', () => read.promise);
    contents.put('b', { text: 'b' });
    assert.deepEqual(contents.keys, ['a', 'b']);
    read.resolve({ text: 'a' });
    await version;
    assert.equal(contents.known('a')?.text, 'a');
    assert.equal(contents.known('b'), undefined);
  });
});
