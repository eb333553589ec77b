import * as z from 'zod';
import { ProcessText } from './environment.ts';

/* The places at which the effects of a worker are seen while its retries are checked. */

const variable = z.string().regex(/^[A-Za-z_]\w*$/, 'must be the name of an environment variable');

const StubReply = z
  .strictObject({
    status: z
      .int()
      .min(200)
      .max(599)
      .optional()
      .meta({
        description: 'Status of the reply. Default: 200.',
        examples: [201],
        default: 200,
      }),
    body: z
      .unknown()
      .optional()
      .meta({
        description: 'Body of the reply: a text, or a value that is sent as JSON. Default: an empty body.',
        examples: [{ id: 'ch_1' }],
      }),
  })
  .meta({ description: 'Reply to each call. The calls reach no other server.', examples: [{ body: { id: 'ch_1' } }] });
export type StubReply = z.infer<typeof StubReply>;

const HttpEdge = z
  .union([z.url({ protocol: /^https?$/ }), z.strictObject({ reply: StubReply })])
  .meta({ description: 'URL to which the calls are forwarded, or an object with the reply to each call.' });

/** Places at which the effects of a worker are seen. */
export const SafetyPart = z
  .strictObject({
    files: z
      .record(variable, ProcessText.min(1))
      .optional()
      .meta({
        description:
          'Directories that the worker writes to, relative to the manifest, by the environment variable from which the worker reads the path. Each run has a copy of the directory, or an empty one if it does not exist. CLOUD_COMPUTE_VOLUME is the network volume. Default: none.',
        examples: [{ OUTPUT_DIR: 'out' }],
      }),
    http: z
      .record(variable, HttpEdge)
      .optional()
      .meta({
        description:
          'Servers that the worker calls, by the environment variable from which the worker reads the URL. The worker receives the URL of a recording proxy. Default: calls through HTTP_PROXY only.',
        examples: [{ PAYMENTS_URL: 'https://payments.example.com' }],
      }),
    command: ProcessText.min(1)
      .optional()
      .meta({
        description:
          'Shell command that prints the effects of the worker elsewhere, such as the rows of a table. It runs in the folder of the manifest before and after each run, and its lines are compared. Default: none.',
        examples: ['sqlite3 "$OUTPUT_DIR/orders.db" "SELECT * FROM orders"'],
      }),
    reset: ProcessText.min(1)
      .optional()
      .meta({
        description:
          'Shell command that restores that state. It runs before each run. Default: the state is kept, and the lines that a run adds are compared.',
        examples: ['psql -c "TRUNCATE orders"'],
      }),
  })
  .meta({
    description:
      'Places at which Check Retry Safety sees the effects of the worker: directories, HTTP calls, and the output of a command. Not sent to any platform. Default: none.',
    examples: [{ files: { OUTPUT_DIR: 'out' } }],
  });
export type SafetyPart = z.infer<typeof SafetyPart>;
