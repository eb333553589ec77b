// import { serve } from './serverless.mjs';
import { createServer } from 'node:net';

export const serverless = { start: createServer };
