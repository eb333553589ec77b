// Sends requests one after another. Prints a line after the first answers, and the durations of the later ones in ms, as JSON, when
// standard input ends. Reads { url, headers } as one line of JSON from standard input.
import { Agent, get } from 'node:http';
import process from 'node:process';

const PAUSE_MS = 5;
const FIRST_ANSWERS = 5;
const agent = new Agent({ keepAlive: true });

function answered(url, headers) {
  const { promise, resolve, reject } = Promise.withResolvers();
  get(url, { headers, agent }, (response) => {
    if (response.statusCode === 200) response.resume().on('end', resolve);
    else reject(new Error(`${url} answered ${response.statusCode}`));
  }).on('error', reject);
  return promise;
}

const { url, headers } = JSON.parse(await new Promise((resolve) => process.stdin.once('data', resolve)));
let over = false;
process.stdin.on('end', () => (over = true));
for (let count = 0; count < FIRST_ANSWERS; count++) await answered(url, headers);
console.log('ready');
const times = [];
while (!over) {
  const start = performance.now();
  await answered(url, headers);
  times.push(performance.now() - start);
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
console.log(JSON.stringify(times));
agent.destroy();
