import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const { PORT = '80', HEALTH_CHECK_PATH = '/ping', GREETING = 'Hello', LOAD_SECONDS = '0' } = process.env;

/** Whether the worker has loaded. The health path answers 204 before that and 200 afterward. Requests wait for a 200. */
let ready = false;

/** Handlers of this endpoint, by method and path. */
const routes = {
  [`GET ${HEALTH_CHECK_PATH}`]: (_, response) => response.writeHead(ready ? 200 : 204).end(),

  /** Answers {"name": "world"} with {"greeting": "Hello, world!"}. */
  'POST /greet': async (request, response) => {
    const { name = 'world' } = JSON.parse((await textOf(request)) || '{}');
    console.log(`greeting ${name}`);
    json(response, 200, { greeting: `${GREETING}, ${name}!` });
  },

  /** Counts to `to`, one line per second. Stops when the client disconnects. */
  'GET /count': async (request, response) => {
    const to = Number(new URL(request.url, 'http://worker').searchParams.get('to') ?? 5);
    response.setHeader('Content-Type', 'text/plain');
    for (let number = 1; number <= to && !response.destroyed; number++) {
      response.write(`${number}\n`);
      console.log(`counted ${number} of ${to}`);
      if (number < to) await sleep(1000);
    }
    if (response.destroyed) console.log('the client disconnected');
    response.end();
  },
};

const server = createServer(async (request, response) => {
  const [path] = request.url.split('?');
  const route = routes[`${request.method} ${path}`];
  try {
    if (route) await route(request, response);
    else json(response, 404, { error: 'not found', detail: `no route matches ${request.method} ${path}` });
  } catch (error) {
    console.error(error);
    if (response.headersSent) response.destroy();
    else json(response, error instanceof SyntaxError ? 400 : 500, { error: error.name, detail: error.message });
  }
});

async function textOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function json(response, status, value) {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(value));
}

// Listens on all interfaces, because the load balancer is outside of the container.
server.listen(Number(PORT), '0.0.0.0', () => console.log(`listening on port ${PORT}`));
process.once('SIGTERM', () => server.close(() => process.exit()));

console.log(`loading for ${LOAD_SECONDS} s`);
await sleep(Number(LOAD_SECONDS) * 1000);
ready = true;
