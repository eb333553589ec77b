import assert from 'node:assert/strict';
import { pageAddresses, pageName } from '../../../../../src/features/logs/fullLog/model/pageAddress.ts';

const addresses = pageAddresses('log');
const subject = { connectionId: 'c/1', endpointId: 'e?1', endpointName: 'hello' };

describe('The address of a page', () => {
  it('names the endpoint, the workers, and the page', () => {
    const nameOf = (workerIds: readonly string[] | undefined, part = 0) =>
      pageName({ subject: { ...subject, workerIds }, page: 2, part });
    assert.equal(nameOf(undefined), 'hello all workers (page 3)');
    assert.equal(nameOf(['w1']), 'hello w1 (page 3)');
    assert.equal(nameOf(['w1', 'w2'], 1), 'hello 2 workers (page 3, part 2)');
  });

  it('is parsed to the same page', () => {
    for (const workerIds of [undefined, ['w1'], ['w"1', 'w&2']]) {
      const address = { ...subject, ...(workerIds && { workerIds }), page: 2, part: 1 };
      const uri = addresses.uri(address, 'hello');
      assert.match(uri.path, /^\/hello\.log$/);
      assert.deepEqual(addresses.parse(uri), address);
    }
  });

  it('is not parsed for a page that cannot exist', () => {
    for (const page of [0.5, -1, 1e300])
      assert.equal(addresses.parse(addresses.uri({ ...subject, page, part: 0 }, 'hello')), undefined, String(page));
  });
});
