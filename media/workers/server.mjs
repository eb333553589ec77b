import { createServer } from 'node:http';
import { json as jsonOf } from 'node:stream/consumers';

const { PORT = '80', HEALTH_CHECK_PATH = '/ping', GREETING = 'Hello' } = process.env;

/** Handlers of this endpoint, by method and path. */
const routes = {
  [`GET ${HEALTH_CHECK_PATH}`]: (_, response) => send(response, 200, { status: 'ready' }),

  /** Responds to {"name": "world"} with {"greeting": "Hello, world!"}. */
  'POST /greet': async (request, response) => {
    const { name = 'world' } = await jsonOf(request);
    console.log(`greeting ${name}`);
    send(response, 200, { greeting: `${GREETING}, ${name}!` });
  },
};

const server = createServer(async (request, response) => {
  const [path] = request.url.split('?');
  const route = routes[`${request.method} ${path}`];
  try {
    if (route) await route(request, response);
    else send(response, 404, { error: `no route matches ${request.method} ${path}` });
  } catch (error) {
    console.error(error);
    send(response, error instanceof SyntaxError ? 400 : 500, { error: error.message });
  }
});

function send(response, status, value) {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(value));
}

// Slow initialization, such as loading a model, belongs before this line. Requests wait until the
// health check responds with 200.
// The server listens on all interfaces, because the load balancer is outside of the container.
server.listen(Number(PORT), '0.0.0.0', () => console.log(`listening on port ${PORT}`));
process.once('SIGTERM', () => server.close(() => process.exit()));
