const express = require('express');

const app = express();
app.get('/healthz', (_, response) => response.end());
app.listen(3000);
