import assert from 'node:assert/strict';
import { pageUri, parsePageQuery } from '../../../../../src/features/logs/fullLog/model/pageAddress.ts';

const subject = { connectionId: 'c/1', endpointId: 'e?1', endpointName: 'hello' };

describe('The address of a page', () => {
  it('names the endpoint, the workers, and the page', () => {
    const pathOf = (workerIds: readonly string[] | undefined, part = 0) =>
      pageUri({ subject: { ...subject, workerIds }, page: 2, part }).path;
    assert.equal(pathOf(undefined), '/hello all workers (page 3).log');
    assert.equal(pathOf(['w1']), '/hello w1 (page 3).log');
    assert.equal(pathOf(['w1', 'w2'], 1), '/hello 2 workers (page 3, part 2).log');
  });

  it('is parsed to the same page', () => {
    for (const workerIds of [undefined, ['w1'], ['w"1', 'w&2']]) {
      const address = { subject: { ...subject, ...(workerIds && { workerIds }) }, page: 2, part: 1 };
      assert.deepEqual(parsePageQuery(pageUri(address).query), address);
    }
  });

  it('has a safe path for any name', () => {
    const { path } = pageUri({ subject: { ...subject, endpointName: '../a\\b\n\u202e\u001b[31m' }, page: 0, part: 0 });
    assert.match(path, /^\/\.\.-a-b[^/\\\n\u202e\u001b]*\(page 1\)\.log$/);
  });

  it('is not parsed from other text', () => {
    for (const query of ['', 'a=b', '{}', '[]', 'null', '{"page":-1}']) assert.equal(parsePageQuery(query), undefined);
    const valid = JSON.parse(pageUri({ subject, page: 0, part: 0 }).query) as object;
    for (const wrong of [{ page: 0.5 }, { page: -1 }, { page: 1e300 }, { part: '1' }, { workerIds: [1] }]) {
      assert.equal(parsePageQuery(JSON.stringify({ ...valid, ...wrong })), undefined);
    }
  });
});
