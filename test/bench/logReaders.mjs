// Many readers of one event stream in a process of their own: node logReaders.mjs READERS EVENTS, and as JSON on one line of
// standard input { url, headers }. Prints "connected", then the seconds from the first event to each reader's last.
import { get } from 'node:http';
import process from 'node:process';

const [readers, events] = process.argv.slice(2).map(Number);
const NEW_LINE = 10;
const I = 'i'.charCodeAt(0);

/** Calls back with the number of events of each chunk. Only an event's id line begins with an i. */
function countEvents(onCount) {
  let atLineStart = true;
  return (chunk) => {
    let count = 0;
    for (let at = atLineStart ? 0 : chunk.indexOf(NEW_LINE) + 1; at < chunk.length;) {
      if (chunk[at] === I) count++;
      const end = chunk.indexOf(NEW_LINE, at);
      if (end < 0) break;
      at = end + 1;
    }
    atLineStart = chunk.at(-1) === NEW_LINE;
    onCount(count);
  };
}

async function main() {
  const { url, headers } = JSON.parse(await new Promise((resolve) => process.stdin.once('data', resolve)));
  let start;
  const ends = [];
  const responses = Array.from({ length: readers }, () => {
    const connected = Promise.withResolvers();
    const ended = Promise.withResolvers();
    ends.push(ended.promise);
    let missing = events;
    const onData = countEvents((count) => {
      if (count > 0) start ??= performance.now();
      missing -= count;
      if (missing < 0) ended.reject(new Error('more events than there are'));
      if (missing === 0) ended.resolve();
    });
    get(url, { headers, agent: false }, (response) => {
      if (response.statusCode !== 200) connected.reject(new Error(`${url} answered ${response.statusCode}`));
      response.on('data', onData);
      connected.resolve();
    }).on('error', connected.reject);
    return connected.promise;
  });
  await Promise.all(responses);
  console.log('connected');
  await Promise.all(ends);
  console.log((performance.now() - start) / 1000);
  process.exit();
}

await main();
