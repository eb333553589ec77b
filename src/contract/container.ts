import * as z from 'zod';
import { MAX_COMMAND_WORDS, MAX_DISK_GB, MAX_LISTED, MAX_PORT } from './bounds.ts';
import { EnvironmentRequest, ProcessText } from './environment.ts';
import { schemaRule } from './schemaRule.ts';

/* The container part of endpoints and templates (interface document, "Serverless endpoint"). */

const isPort = (port: number): boolean => port >= 1 && port <= MAX_PORT;

const Words = z.array(ProcessText).max(MAX_COMMAND_WORDS);

/** What the bodies of endpoints and of templates have in common. */
export const containerFields = {
  image: ProcessText.min(1).optional().meta({ description: 'Container image reference.' }),
  args: ProcessText.optional().meta({
    description:
      'The command as one string: shell words for CMD, or a JSON object {"entrypoint": […], "cmd": […]}. "" clears it.',
  }),
  disk: z.int().min(1).max(MAX_DISK_GB).optional().meta({ description: 'Container disk in GB, wiped on restart.' }),
  env: EnvironmentRequest.optional().meta({ description: 'Environment variables of the workers.' }),
  ports: z
    .array(
      z
        .string()
        .regex(/^\d{1,5}\/[a-z]+$/, { error: 'must be port/protocol, such as 8000/http', abort: true })
        .refine((port) => isPort(parseInt(port)), schemaRule('portOutOfRange', { maximum: MAX_PORT })),
    )
    .max(MAX_LISTED)
    .optional()
    .meta({ description: 'Open ports, each port/protocol.' }),
  registry: z
    .string()
    .nullable()
    .optional()
    .meta({ description: 'Id of the container registry credential for a private image.' }),
};

/** The command in exec form, which endpoints have and templates do not. */
export const commandFields = {
  cmd: Words.optional().meta({ description: 'Container CMD, exec form. [] clears it.' }),
  entrypoint: Words.optional().meta({ description: 'Container ENTRYPOINT, exec form. [] clears it.' }),
};
