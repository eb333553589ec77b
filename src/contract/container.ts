import * as z from 'zod';

/* The container part of endpoints and templates (interface document, "Serverless endpoint"). */

/** What the bodies of endpoints and of templates have in common. */
export const containerFields = {
  image: z.string().min(1).optional().meta({ description: 'Container image reference.' }),
  args: z.string().optional().meta({
    description:
      'The command as one string: shell words for CMD, or a JSON object {"entrypoint": […], "cmd": […]}. "" clears it.',
  }),
  disk: z.int().min(1).optional().meta({ description: 'Container disk in GB, wiped on restart.' }),
  env: z.record(z.string(), z.string()).optional().meta({ description: 'Environment variables of the workers.' }),
  ports: z
    .array(z.string().regex(/^\d{1,5}\/[a-z]+$/, 'must be port/protocol, such as 8000/http'))
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
  cmd: z.array(z.string()).optional().meta({ description: 'Container CMD, exec form. [] clears it.' }),
  entrypoint: z.array(z.string()).optional().meta({ description: 'Container ENTRYPOINT, exec form. [] clears it.' }),
};
