import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { chunksOf, completion, models, RequestError, tokenize } from './completion.mjs';

/* Worker of the load-balanced endpoint: an OpenAI-compatible HTTP server. */

const { PORT = '80', HEALTH_CHECK_PATH = '/ping', LOAD_SECONDS = '0' } = process.env;

/** Whether the worker has loaded. Requests wait until the health path responds with 200. */
let ready = false;

const routes = {
  [`GET ${HEALTH_CHECK_PATH}`]: (_, response) => response.writeHead(ready ? 200 : 204).end(),
  'GET /v1/models': (_, response) => json(response, 200, models()),
  'POST /tokenize': async (request, response) => json(response, 200, tokenize(await bodyOf(request))),
  'POST /v1/chat/completions': async (request, response, signal) => {
    const body = await bodyOf(request);
    console.log(`chat with ${body.messages?.length ?? 0} messages`);
    if (body.stream) await stream(response, chunksOf(body, signal));
    else json(response, 200, await completion(body, signal));
  },
};

/** Sends chunks as events. An error after the first chunk is an event too, because the status has been sent. */
async function stream(response, chunks) {
  const event = (value) => response.write(`data: ${value}\n\n`);
  try {
    for await (const chunk of chunks) {
      if (!response.headersSent) response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      event(JSON.stringify(chunk));
    }
  } catch (error) {
    if (!response.headersSent || !(error instanceof RequestError)) throw error;
    event(JSON.stringify(error.body));
  }
  event('[DONE]');
  response.end();
}

const server = createServer(async (request, response) => {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const [path] = request.url.split('?');
  try {
    const route = routes[`${request.method} ${path}`];
    if (!route) throw new RequestError(404, `no route matches ${request.method} ${path}`);
    await route(request, response, gone.signal);
  } catch (error) {
    if (gone.signal.aborted) console.log('the client disconnected, so the answer ended');
    else if (response.headersSent) response.destroy(error);
    else if (error instanceof RequestError) json(response, error.status, error.body);
    else {
      console.error(error);
      json(response, 500, new RequestError(500, error.message).body);
    }
  }
});

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new RequestError(400, 'the body is not JSON');
  }
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
