const { serve } = require('./serverless.cjs');

serve(async ({ input }) => input);
