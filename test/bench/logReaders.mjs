// Usage: node logReaders.mjs READERS EVENTS. Reads { url, headers } as one line of JSON from standard input and opens an event stream
// per reader. Prints "connected", then the seconds from the first event to the last event of all readers.
import { get } from 'node:http';
import process from 'node:process';

const [readers, events] = process.argv.slice(2).map(Number);
const NEW_LINE = 10;
const I = 'i'.charCodeAt(0);

/** Counts the events of each chunk. In this stream, only the id line of an event starts with "i". */
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
      if (missing < 0) ended.reject(new Error('received more events than expected'));
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
